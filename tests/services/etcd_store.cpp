// The store against a stand-in for etcd: a map behind the seam of requests, which can be
// made to fail, to hold other people's records and to forget leases.
#include "etcd/store.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "transport/real_world.hpp"

namespace zlink::etcd {
namespace {

using base::store_outcome;
using nlohmann::json;
using lines = std::vector<std::string>;

// What an etcd holds. Under its lock.
struct stand_in
{
    struct held
    {
        std::string value;
        std::int64_t changed_at = 0, lease = 0;
    };
    std::mutex lock;
    std::condition_variable change;
    std::map<std::string, held> records;
    std::vector<std::string> news;  // lines of a watch, by revision
    std::int64_t revision = 1;
    std::int64_t leases = 0;  // granted; the last one lives
    bool lease_lives = true;
    int broken = 0;    // requests that get no answer
    int asked = 0;     // requests at all
    std::string says;  // instead of an answer, with status 400
    unsigned page = 1'000;
    bool ends_watch = false;

    void put (const std::string &key, const std::string &value, std::int64_t lease = 0)
    {
        const std::lock_guard guard (lock);
        put_locked (key, value, lease);
    }
    void put_locked (const std::string &key, const std::string &value, std::int64_t lease)
    {
        records[key] = {.value = value, .changed_at = ++revision, .lease = lease};
        tell ("PUT", key);
    }
    void remove (const std::string &key)
    {
        const std::lock_guard guard (lock);
        remove_locked (key);
    }
    void remove_locked (const std::string &key)
    {
        records.erase (key);
        ++revision;
        tell ("DELETE", key);
    }
    void tell (const char *type, const std::string &key)
    {
        news.push_back (json ({{"result",
                                {{"header", json::object ()},
                                 {"events", json::array ({{{"type", type}, {"kv", kv (key)}}})}}}})
                          .dump ()
                        + '\n');
        change.notify_all ();
    }
    json kv (const std::string &key)
    {
        const auto found = records.find (key);
        json made = {{"key", to_base64 (key)}};
        if (found == records.end ())
            return made;
        made["value"] = to_base64 (found->second.value);
        made["mod_revision"] = std::to_string (found->second.changed_at);
        made["lease"] = std::to_string (found->second.lease);
        return made;
    }
    template <class Condition> void wait (Condition &&holds)
    {
        std::unique_lock guard (lock);
        change.wait (guard, holds);
    }
};

std::string text_in (const json &from, const char *name)
{
    return from_base64 (from.at (name).get<std::string> ()).value ();
}

class stand_in_poster final : public poster
{
  public:
    explicit stand_in_poster (stand_in &to) : etcd_ (to) {}

    posted post (const std::string &,
                 const std::string &path,
                 const std::string &body,
                 base::time_ns,
                 const reader &take) override
    {
        std::unique_lock guard (etcd_.lock);
        ++etcd_.asked;
        etcd_.change.notify_all ();
        if (etcd_.broken > 0 || stopped_) {
            etcd_.broken -= etcd_.broken > 0;
            return {.why = "nobody answers"};
        }
        if (!etcd_.says.empty ())
            return {.status = 400, .body = json ({{"error", etcd_.says}}).dump ()};
        const json asked = json::parse (body);
        if (path == "/v3/watch")
            return watch (guard, take,
                          std::stoll (asked["create_request"]["start_revision"].get<std::string> ()));
        return {
          .status = 200, .was_sent = true, .body = answer (path, asked).dump (), .our_host = "127.0.0.1"};
    }
    void stop () noexcept override
    {
        const std::lock_guard guard (etcd_.lock);
        stopped_ = true;
        etcd_.change.notify_all ();
    }
    void resume () noexcept override
    {
        const std::lock_guard guard (etcd_.lock);
        stopped_ = false;
    }

  private:
    json answer (const std::string &path, const json &asked)
    {
        json made = {{"header", {{"revision", std::to_string (etcd_.revision)}}}};
        if (path == "/v3/lease/grant") {
            etcd_.lease_lives = true;
            made["ID"] = std::to_string (++etcd_.leases);
            made["TTL"] = asked["TTL"];
        } else if (path == "/v3/lease/keepalive") {
            json inner = {{"header", json::object ()}, {"ID", asked["ID"]}};
            if (etcd_.lease_lives)
                inner["TTL"] = "5";
            return {{"result", inner}};
        } else if (path == "/v3/kv/range") {
            list (made, asked);
        } else if (path == "/v3/kv/txn") {
            change (made, asked);
        }
        return made;
    }
    void list (json &made, const json &asked)
    {
        made["kvs"] = json::array ();
        for (auto at = etcd_.records.lower_bound (text_in (asked, "key"));
             at != etcd_.records.end () && at->first < text_in (asked, "range_end"); ++at) {
            if (made["kvs"].size () >= etcd_.page) {
                made["more"] = true;
                return;
            }
            made["kvs"].push_back (etcd_.kv (at->first));
        }
    }
    [[nodiscard]] bool holds (const json &condition)
    {
        const auto found = etcd_.records.find (text_in (condition, "key"));
        const bool there = found != etcd_.records.end ();
        if (condition["target"] == "MOD")
            return std::stoll (condition["mod_revision"].get<std::string> ())
                   == (there ? found->second.changed_at : 0);
        return there && found->second.lease == std::stoll (condition["lease"].get<std::string> ());
    }
    void change (json &made, const json &asked)
    {
        made["succeeded"] =
          std::ranges::all_of (asked["compare"], [this] (const json &each) { return holds (each); });
        if (made["succeeded"] == false && !asked.contains ("failure"))
            return;
        if (made["succeeded"] == false) {
            const std::string key = text_in (asked["failure"][0]["request_range"], "key");
            json range = json::object ();
            if (etcd_.records.contains (key))
                range["kvs"] = json::array ({etcd_.kv (key)});
            made["responses"] = json::array ({{{"response_range", range}}});
            return;
        }
        for (const json &then : asked["success"])
            if (then.contains ("request_put"))
                etcd_.put_locked (text_in (then["request_put"], "key"),
                                  text_in (then["request_put"], "value"),
                                  std::stoll (then["request_put"]["lease"].get<std::string> ()));
            else
                etcd_.remove_locked (text_in (then["request_delete_range"], "key"));
    }
    posted watch (std::unique_lock<std::mutex> &guard, const reader &take, std::int64_t from)
    {
        for (std::size_t at = static_cast<std::size_t> (from) - 2;;) {
            etcd_.change.wait (guard,
                               [&] { return stopped_ || etcd_.ends_watch || at < etcd_.news.size (); });
            if (stopped_ || std::exchange (etcd_.ends_watch, false))
                return {.status = 200};
            const std::string line = etcd_.news[at++];
            guard.unlock ();
            // In two, as a network does.
            const bool goes_on =
              take (std::string_view (line).substr (0, 10)) && take (std::string_view (line).substr (10));
            guard.lock ();
            if (!goes_on)
                return {.status = 200};
        }
    }

    stand_in &etcd_;
    bool stopped_ = false;
};

// Keeps what is told, as lines. A record is replaced by one with the same first letter.
class noting final : public base::record_listener
{
  public:
    bool reset () noexcept override { return note ("reset"); }
    bool put (std::string_view key, base::bytes_view value) noexcept override
    {
        return note ("+" + std::string (key) + "=" + std::string (base::as_text (value)));
    }
    bool gone (std::string_view key) noexcept override { return note ("-" + std::string (key)); }
    bool whole (std::string_view host) noexcept override { return note ("whole " + std::string (host)); }
    void lost (std::string_view why) noexcept override { (void)note ("lost: " + std::string (why)); }
    void done (std::uint64_t ticket, store_outcome outcome) noexcept override
    {
        (void)note ("done " + std::to_string (ticket) + " " + std::to_string (static_cast<int> (outcome)));
    }
    [[nodiscard]] bool replaces (base::bytes_view mine, base::bytes_view found) const noexcept override
    {
        return !mine.empty () && !found.empty () && mine[0] == found[0];
    }
    void wait_for (const std::string &line, std::ptrdiff_t times = 1)
    {
        std::unique_lock guard (lock);
        change.wait (guard, [&] { return std::ranges::count (heard, line) >= times; });
    }
    void wait_for_beginning (const char *of)
    {
        std::unique_lock guard (lock);
        change.wait (guard, [&] { return !heard.empty () && heard.back ().starts_with (of); });
    }
    lines all ()
    {
        const std::lock_guard guard (lock);
        return heard;
    }
    bool note (std::string line)
    {
        const std::lock_guard guard (lock);
        heard.push_back (std::move (line));
        change.notify_all ();
        return true;
    }

  private:
    std::mutex lock;
    std::condition_variable change;
    lines heard;
};

// Wants the same whatever it sees, and does something before that is done.
class stubborn final : public base::slot_visitor
{
  public:
    stubborn (noting &to, base::slot_wish wish, std::function<void ()> meanwhile)
      : to_ (to), wish_ (std::move (wish)), meanwhile_ (std::move (meanwhile))
    {
    }
    base::slot_wish decide (base::bytes_view record, bool held) override
    {
        (void)to_.note ("saw " + std::string (base::as_text (record)) + (held ? " held" : " free"));
        if (const auto now = std::exchange (meanwhile_, nullptr); now != nullptr)
            now ();
        return wish_;
    }
    void done (store_outcome outcome) noexcept override
    {
        (void)to_.note ("visited " + std::to_string (static_cast<int> (outcome)));
    }

  private:
    noting &to_;
    const base::slot_wish wish_;
    std::function<void ()> meanwhile_;
};

class etcd_store : public testing::Test
{
  protected:
    void open (const char *url = "etcd://a,b/p")
    {
        const base::record_store_wish wish{
          .url = url, .lease = base::ns_per_s, .listener = &heard, .on = &real->world ()};
        base::result<std::unique_ptr<base::record_store>> made =
          store::open (wish, [this] { return std::make_unique<stand_in_poster> (etcd); });
        ASSERT_TRUE (made.ok ());
        at = std::move (made).value ();
    }
    // What happens from now on is told as a change.
    void open_whole ()
    {
        open ();
        heard.wait_for ("whole 127.0.0.1");
    }
    void put (std::uint64_t ticket, std::string_view key, std::string_view value)
    {
        EXPECT_TRUE (at->put (ticket, key, base::as_bytes (value)).ok ());
    }
    // Answers what was heard of it.
    lines visit (base::slot_step what,
                 const char *record,
                 std::function<void ()> meanwhile = nullptr,
                 base::time_ns longest = 60 * base::ns_per_s)
    {
        noting told;
        const auto who =
          std::make_shared<stubborn> (told, base::slot_wish{what, record}, std::move (meanwhile));
        EXPECT_TRUE (at->visit ("t/7", base::ns_per_s, longest, who).ok ());
        told.wait_for_beginning ("visited");
        return told.all ();
    }
    stand_in::held record_of (const std::string &key)
    {
        const std::lock_guard guard (etcd.lock);
        const auto found = etcd.records.find (key);
        return found == etcd.records.end () ? stand_in::held{"none"} : found->second;
    }
    std::string value_of (const std::string &key)
    {
        const std::lock_guard guard (etcd.lock);
        const auto found = etcd.records.find (key);
        return found == etcd.records.end () ? "none" : found->second.value;
    }

    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    stand_in etcd;
    noting heard;
    std::unique_ptr<base::record_store> at;
};

TEST_F (etcd_store, lists_what_is_there_and_follows_what_changes)
{
    etcd.page = 1;
    etcd.put ("o/providers/x", "other prefix");
    etcd.put ("p/providers/a", "1");
    etcd.put ("p/providers/b", "2");
    etcd.put ("p/providersX", "beside");
    open ();
    heard.wait_for ("whole 127.0.0.1");
    EXPECT_EQ (heard.all (), (lines{"reset", "+a=1", "+b=2", "whole 127.0.0.1"}));
    etcd.put ("p/providers/c", "3");
    etcd.remove ("p/providers/a");
    heard.wait_for ("+c=3");
    heard.wait_for ("-a");
}

TEST_F (etcd_store, what_is_put_is_stored_with_the_lease_and_dropped_in_the_end)
{
    open_whole ();
    put (7, "k", "v");
    heard.wait_for ("done 7 0");
    {
        const std::lock_guard guard (etcd.lock);
        EXPECT_EQ (etcd.records.at ("p/providers/k").lease, 1);
    }
    put (8, "k", "v2");
    heard.wait_for ("done 8 0");
    EXPECT_EQ (value_of ("p/providers/k"), "v2");
    at->drop ("k");
    at->drop ("nothing of ours");
    heard.wait_for ("-k");
    put (9, "l", "v");
    heard.wait_for ("done 9 0");
    at->drop ("l");
    at.reset ();
    EXPECT_EQ (value_of ("p/providers/l"), "none") << "it says farewell";
}

TEST_F (etcd_store, what_somebody_else_has_is_taken_and_stays)
{
    etcd.put ("p/providers/k", "theirs");
    etcd.put ("p/providers/l", "my old one");
    open_whole ();
    put (1, "k", "mine");
    put (2, "l", "my new one");
    heard.wait_for ("done 1 1");
    heard.wait_for ("done 2 0");
    EXPECT_EQ (value_of ("p/providers/k"), "theirs");
    EXPECT_EQ (value_of ("p/providers/l"), "my new one");
    // What another process has put in the place of ours is not dropped with ours.
    etcd.put ("p/providers/l", "my twin's", 99);
    heard.wait_for ("+l=my twin's");
    at->drop ("l");
    heard.wait_for ("+l=my twin's", 2);
    EXPECT_EQ (value_of ("p/providers/l"), "my twin's");
}

TEST_F (etcd_store, what_is_missing_is_put_again)
{
    open_whole ();
    put (1, "k", "v");
    heard.wait_for ("done 1 0");
    etcd.remove ("p/providers/k");
    heard.wait_for ("+k=v", 2);
    // A lease that was lost takes all with it.
    {
        const std::lock_guard guard (etcd.lock);
        etcd.lease_lives = false;
        etcd.records.clear ();
        etcd.ends_watch = true;
        etcd.change.notify_all ();
    }
    etcd.wait ([this] {
        const auto found = etcd.records.find ("p/providers/k");
        return found != etcd.records.end () && found->second.lease > 1;
    });
}

TEST_F (etcd_store, a_loss_is_told_once_and_ends_in_a_list_anew)
{
    etcd.put ("p/providers/a", "1");
    open ();
    heard.wait_for ("whole 127.0.0.1");
    {
        const std::lock_guard guard (etcd.lock);
        etcd.says = "etcdserver: no leader";
        etcd.ends_watch = true;
        etcd.change.notify_all ();
    }
    heard.wait_for ("lost: it has ended the watch");
    const int asked = [this] {
        const std::lock_guard guard (etcd.lock);
        return etcd.asked;
    }();
    etcd.wait ([&] { return etcd.asked > asked + 3; });
    put (5, "k", "v");
    {
        const std::lock_guard guard (etcd.lock);
        etcd.says.clear ();
        etcd.ends_watch = false;  // the keeper may have ended it before
    }
    heard.wait_for ("whole 127.0.0.1", 2);
    heard.wait_for ("done 5 0");
    const lines all = heard.all ();
    EXPECT_EQ (
      std::ranges::count_if (all, [] (const std::string &each) { return each.starts_with ("lost"); }), 1);
}

TEST_F (etcd_store, who_is_not_reached_at_first_is_told_of_with_the_reason)
{
    etcd.broken = 1'000;
    open ();
    heard.wait_for ("lost: nobody answers");
    etcd.wait ([this] { return etcd.broken < 998; });
    {
        const std::lock_guard guard (etcd.lock);
        etcd.broken = 0;
    }
    heard.wait_for ("whole 127.0.0.1");
}

TEST_F (etcd_store, who_is_no_etcd_is_told_of)
{
    etcd.says = "etcdserver: user name is empty";
    open ("etcd://a/p");
    heard.wait_for ("lost: etcdserver: user name is empty");
}

constexpr const char *slot_record = "p/grants/t/7/epoch";
constexpr const char *slot_mark = "p/grants/t/7/held";
using base::slot_step;

TEST_F (etcd_store, a_slot_is_held_kept_alive_and_freed_and_its_record_stays)
{
    open ();
    EXPECT_EQ (visit (slot_step::leave, ""), (lines{"saw  free", "visited 0"}));
    EXPECT_EQ (visit (slot_step::hold, "one"), (lines{"saw  free", "visited 0"}));
    const stand_in::held record = record_of (slot_record), mark = record_of (slot_mark);
    EXPECT_EQ (record.value, "one");
    EXPECT_EQ (record.lease, 0);
    EXPECT_NE (mark.lease, 0);
    EXPECT_EQ (visit (slot_step::hold, "one"), (lines{"saw one held", "visited 0"}));
    EXPECT_EQ (record_of (slot_record).changed_at, record.changed_at) << "nothing is written";
    EXPECT_EQ (visit (slot_step::hold, "two"), (lines{"saw one held", "visited 0"}));
    EXPECT_EQ (record_of (slot_record).value, "two");
    EXPECT_NE (record_of (slot_mark).lease, mark.lease);
    EXPECT_EQ (visit (slot_step::free, "three"), (lines{"saw two held", "visited 0"}));
    EXPECT_EQ (record_of (slot_record).value, "three");
    EXPECT_EQ (record_of (slot_mark).value, "none");
}

TEST_F (etcd_store, who_is_overtaken_at_a_slot_looks_again)
{
    open ();
    EXPECT_EQ (visit (slot_step::hold, "mine", [this] { etcd.put (slot_record, "theirs"); }),
               (lines{"saw  free", "saw theirs free", "visited 0"}));
    EXPECT_EQ (visit (slot_step::hold, "again", [this] { etcd.remove (slot_mark); }),
               (lines{"saw mine held", "saw mine free", "visited 0"}));
    // Its lease has run out since it was seen.
    EXPECT_EQ (visit (slot_step::hold, "again",
                      [this] {
                          etcd.remove (slot_mark);
                          const std::lock_guard guard (etcd.lock);
                          etcd.lease_lives = false;
                      }),
               (lines{"saw again held", "saw again free", "visited 0"}));
    EXPECT_NE (record_of (slot_mark).lease, 0);
}

TEST_F (etcd_store, a_slot_that_is_not_reached_is_said_and_nothing_is_asked_too_late)
{
    open ();
    {
        const std::lock_guard guard (etcd.lock);
        etcd.broken = 1'000'000;
    }
    EXPECT_EQ (visit (slot_step::hold, "one"), (lines{"visited 2"}));
    {
        const std::lock_guard guard (etcd.lock);
        etcd.broken = 0;
    }
    EXPECT_EQ (visit (slot_step::hold, "one", nullptr, 0), (lines{"visited 2"}));
    EXPECT_EQ (visit (slot_step::hold, "two",
                      [this] {
                          const std::lock_guard guard (etcd.lock);
                          etcd.broken = 1'000'000;
                      }),
               (lines{"saw  free", "visited 2"}));
    {
        const std::lock_guard guard (etcd.lock);
        etcd.broken = 0;
    }
    EXPECT_EQ (visit (slot_step::hold, "three"), (lines{"saw  free", "visited 0"}));
}

TEST (EtcdStore, WhatIsNoAddressIsRefused)
{
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    noting heard;
    const base::record_store_wish wish{.url = "etcd://a", .listener = &heard, .on = &real->world ()};
    EXPECT_EQ (store::open (wish, [] { return nullptr; }).code (), base::errc::invalid_argument);
    const base::record_store_wish well{.url = "etcd://a/p", .listener = &heard, .on = &real->world ()};
    EXPECT_EQ (store::open (well, [] { return nullptr; }).code (), base::errc::no_memory);
}

}  // namespace
}  // namespace zlink::etcd
