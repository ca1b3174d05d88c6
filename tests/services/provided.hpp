// Providers for tests of gateways: a receiver with threads that answer, in any world.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/gateway.hpp"
#include "service/receiver.hpp"
#include "services/worlds.hpp"

namespace zlink::service::test {

using base::errc;
using base::ns_per_ms;
using base::ns_per_s;

// Where streams of this world may be bound.
inline std::string place_in (const base::world &world)
{
    static int last = 0;
    for (base::transport *const each : world.transports)
        if (each->scheme () == "sim")
            return "sim://service-" + std::to_string (++last);
    return "tcp://127.0.0.1:*";
}

inline held_parts text_parts (const std::vector<std::string> &texts)
{
    held_parts made;
    for (std::size_t i = 0; i < texts.size (); ++i) {
        base::message part;
        EXPECT_TRUE (part.init_copy (base::as_bytes (std::string_view (texts[i]))).ok ());
        part.set_more (i + 1 < texts.size ());
        made.take (part);
    }
    return made;
}
inline std::string text_of (held_parts &parts, std::size_t at = 0)
{
    return at < parts.size () ? std::string (base::as_text (parts[at].view ())) : "(no part)";
}

inline std::unique_ptr<base::joinable> start_thread (base::world &world, std::function<void ()> body)
{
    base::thread_options named;
    named.name = "test";
    return std::move (world.threads.start (named, std::move (body)).value ());
}

// Answers every request with "name:" and the request's first part, unless told
// otherwise, on a number of threads, until it goes.
class serving
{
  public:
    using answer = std::function<void (receiver &by, inquiry &what)>;

    serving (base::world &world,
             void *context,
             std::string name,
             const std::string &place,
             answer how = {},
             unsigned threads = 1,
             const receiver_settings &settings = {})
      : name_ (std::move (name)), how_ (std::move (how))
    {
        made_ = receiver::open (world, context, settings).value ();
        endpoint_ = made_->bind (place).value ();
        EXPECT_TRUE (made_->offer ("calc", {}, 1).ok ());
        for (unsigned i = 0; i < threads; ++i)
            threads_.push_back (start_thread (world, [this] { serve (); }));
    }
    ~serving () { go (); }
    serving (const serving &) = delete;
    serving &operator= (const serving &) = delete;

    void go ()
    {
        made_->close ();
        threads_.clear ();
    }
    [[nodiscard]] receiver &at () { return *made_; }
    [[nodiscard]] std::shared_ptr<receiver> shared () { return made_; }
    [[nodiscard]] const std::string &endpoint () const { return endpoint_; }
    [[nodiscard]] int received () const { return received_; }
    [[nodiscard]] listed_provider listed (std::uint32_t weight = 1) const
    {
        listed_provider row;
        row.endpoint = endpoint_;
        row.weight = weight;
        return row;
    }

  private:
    void serve ()
    {
        for (;;) {
            inquiry what;
            if (!made_->receive (what, base::never_ns).ok ())
                return;
            ++received_;
            if (how_) {
                how_ (*made_, what);
                continue;
            }
            held_parts reply = text_parts ({name_ + ":" + text_of (what.parts)});
            if (!what.one_way)
                (void)made_->reply (what, reply.all ());
        }
    }

    std::string name_;
    answer how_;
    std::shared_ptr<receiver> made_;
    std::string endpoint_;
    base::atomic<int> received_{0};
    std::vector<std::unique_ptr<base::joinable>> threads_;
};

inline void list (gateway &to, const std::vector<listed_provider> &all)
{
    EXPECT_TRUE (to.set_providers ("calc", all).ok ());
}

inline call_options within (base::world &world, base::time_ns how_long)
{
    call_options options;
    options.deadline_ns = world.time.now_ns () + how_long;
    return options;
}

// What comes of a request of one part.
inline call_outcome ask (gateway &by, base::world &world, const std::string &text, call_options options)
{
    if (options.deadline_ns == base::never_ns)
        options.deadline_ns = world.time.now_ns () + 30 * ns_per_s;
    held_parts parts = text_parts ({text});
    return by.call ("calc", parts.all (), options);
}
inline call_outcome ask (gateway &by, base::world &world, const std::string &text)
{
    return ask (by, world, text, {});
}

// Until that many may be picked.
inline void wait_connected (gateway &by, base::world &world, std::size_t count)
{
    const base::time_ns end = world.time.now_ns () + 30 * ns_per_s;
    while (by.connections ("calc") < count) {
        ASSERT_LT (world.time.now_ns (), end) << "not connected";
        world.sleep.yield ();
    }
}

}  // namespace zlink::service::test
