#include "engine/zap_link.hpp"

#include <array>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

constexpr int dealer_type = 5;
constexpr pattern_traits asking{
  .type = dealer_type,
  .name = "DEALER",
  .sends = send_rule::balance,
  .receives = receive_rule::fair,
};

settings patient () noexcept
{
    settings wish;
    wish.send_hwm = wish.receive_hwm = 0;
    wish.linger_ms = 0;
    return wish;
}

// Messages, closed at the end.
class part_list
{
  public:
    explicit part_list (std::size_t count) : parts_ (count)
    {
        for (base::message &each : parts_)
            each.init ();
    }
    ~part_list ()
    {
        for (base::message &each : parts_)
            each.close ();
    }
    part_list (const part_list &) = delete;
    part_list &operator= (const part_list &) = delete;
    [[nodiscard]] std::span<base::message> all () noexcept { return parts_; }

  private:
    std::vector<base::message> parts_;
};

}  // namespace

// Whom the handler's answer wakes.
class zap_link::caller final : public base::watcher
{
  public:
    explicit caller (socket_ref asker) noexcept : asker_ (asker) {}
    void wake () noexcept override
    {
        news.store (true, std::memory_order_seq_cst);
        asker_.slot->look_at_answers (asker_.generation);
    }
    base::atomic<bool> news{false};

  private:
    socket_ref asker_;
};

base::result<std::unique_ptr<verdict_source>> zap_link::ask (const std::shared_ptr<context> &owner,
                                                             const std::vector<std::string> &question,
                                                             socket_ref asker)
{
    if (!owner->is_bound (wire::zap_name))
        return errc::connection_refused;
    auto who = std::make_shared<caller> (asker);
    part_list parts (question.size ());
    const result<socket_ref> made = socket_core::create (owner, asking, patient ());
    if (!made.ok ())
        return made.failure ();
    std::unique_ptr<zap_link> link (new zap_link (owner, made.value (), std::move (who)));
    const auto [slot, generation] = link->socket_;
    result<void> done = slot->connect (generation, wire::zap_endpoint);
    for (std::size_t i = 0; done.ok () && i < question.size (); ++i)
        done = parts.all ()[i].init_copy (base::as_bytes (question[i]));
    if (done.ok ())
        done = slot->send_parts (generation, parts.all (), send_dont_wait).code ();
    if (!done.ok ())
        return done.failure ();
    link->caller_->news.store (true, std::memory_order_relaxed);  // nobody has been asked to call yet
    return std::unique_ptr<verdict_source> (std::move (link));
}

zap_link::zap_link (std::shared_ptr<context> owner, socket_ref socket, std::shared_ptr<caller> who) noexcept
  : owner_ (std::move (owner)), socket_ (socket), caller_ (std::move (who))
{
}

zap_link::~zap_link ()
{
    socket_.slot->unwatch (socket_.generation, caller_);
    (void)socket_.slot->close (socket_.generation);
}

bool zap_link::news () const noexcept { return caller_->news.load (std::memory_order_seq_cst); }

bool zap_link::hear (wire::zap_reply &to)
{
    for (;;) {
        caller_->news.store (false, std::memory_order_seq_cst);
        if (take_reply (to))
            return true;
        base::io_handle kernel = base::no_handle;
        const result<unsigned> now = socket_.slot->watch (socket_.generation, caller_, kernel);
        if (!now.ok ()) {
            to.fault = base::close_reason::zap_unavailable;
            return true;
        }
        if ((now.value () & event_readable) == 0)
            return false;
    }
}

// False: there is none yet.
bool zap_link::take_reply (wire::zap_reply &to)
{
    part_list parts (wire::zap_reply_parts);
    std::size_t count = 0;
    const io_count got =
      socket_.slot->receive_parts (socket_.generation, parts.all (), send_dont_wait, &count);
    if (got.code () == errc::would_block)
        return false;
    if (got.code () == errc::message_too_long) {
        to.fault = base::close_reason::zap_reply_malformed;
    } else if (!got.ok ()) {
        to.fault = base::close_reason::zap_unavailable;
    } else {
        std::array<base::bytes_view, wire::zap_reply_parts> views;
        for (std::size_t i = 0; i < got.size (); ++i)
            views[i] = parts.all ()[i].view ();
        to = wire::read_zap_reply (std::span (views).first (got.size ()));
    }
    return true;
}

}  // namespace zlink::engine
