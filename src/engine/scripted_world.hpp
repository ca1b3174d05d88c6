// A world of one thread in which sockets have peers that say what a script has,
// for tests and fuzz targets of this layer and the one above: a listener and a
// place to connect to at "script://", streams of memory, and a reactor whose
// turns the test takes.
// Thread rule: one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/context.hpp"
#include "engine/socket_core.hpp"
#include "engine/test_world.hpp"

namespace zlink::engine::test {

inline pattern_traits pull_traits ()
{
    pattern_traits traits;
    traits.type = 7;
    traits.name = "PULL";
    traits.receives = receive_rule::fair;
    return traits;
}

inline pattern_traits pair_traits ()
{
    pattern_traits traits;
    traits.type = 0;
    traits.name = "PAIR";
    traits.sends = send_rule::balance;
    traits.receives = receive_rule::fair;
    traits.single_peer = true;
    return traits;
}

// One stream, as both see it.
struct script
{
    std::string says;  // the peer, to us; may grow
    std::size_t said = 0;
    std::size_t piece_bytes = SIZE_MAX;  // that one read brings
    bool ends = false;                   // behind what it says
    std::string hears;
    std::size_t room_bytes = SIZE_MAX;  // that it takes of what we say
    bool acknowledges = true;
    bool answers = true;    // when it is dialled
    bool refuses = false;   // what we say, for good
    bool open = true;       // our side is
    bool rumoured = false;  // to be readable, until the next read
    std::function<void ()> on_shutdown;
    std::function<void ()> on_hearing;  // once, before we know how much it has taken

    [[nodiscard]] bool readable () const noexcept { return said < says.size () || ends || rumoured; }
};

class scripted_world
{
  public:
    [[nodiscard]] base::world &world () noexcept { return here_; }
    [[nodiscard]] moved_clock &time () noexcept { return around_.time; }
    [[nodiscard]] lone_waiter &sleep () noexcept { return around_.sleep; }

    // Somebody knocks at the listener, or is there for the next dial.
    std::shared_ptr<script> peer (std::string says, bool ends = false)
    {
        auto made = std::make_shared<script> ();
        made->says = std::move (says);
        made->ends = ends;
        callers_.push_back (made);
        return made;
    }

    // Put around each stream of ours that is made; may be empty.
    std::function<std::unique_ptr<base::stream> (std::unique_ptr<base::stream>)> wrap;

    // That the only name has, and how often it was asked for them.
    std::size_t addresses = 1;
    std::size_t lookups = 0;

    // The reactor's part, until nothing moves any more; so often at most, as a
    // socket may leave unread what the reactor goes on telling it of.
    void settle (context &of, int rounds_max = 1000)
    {
        for (int i = 0; i < rounds_max; ++i) {
            turn (of);
            if (!dispatch ())
                return;
        }
    }
    // One turn for each socket, whatever it waits for.
    void turn (context &of)
    {
        for (const socket_ref &each : of.sockets ()) {
            each.slot->turn (time ().now.load ());
            each.slot->dirty_turn ();
        }
    }

  private:
    static constexpr base::io_handle listener_handle = 10;
    static constexpr base::io_handle first_stream = 100;

    // Our end of one; takes all that is written.
    class stream final : public base::stream
    {
      public:
        stream (std::shared_ptr<script> of, base::io_handle handle) : of_ (std::move (of)), handle_ (handle)
        {
        }
        ~stream () override { of_->open = false; }
        base::result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override
        {
            if (of_->refuses)
                return base::errc::no_memory;
            std::size_t taken = 0;
            for (const base::bytes_view &each : slices) {
                const std::size_t some = std::min (each.size (), of_->room_bytes - taken);
                of_->hears += base::as_text (each.first (some));
                taken += some;
            }
            if (of_->room_bytes != SIZE_MAX)
                of_->room_bytes -= taken;
            if (of_->on_hearing && taken > 0)
                std::exchange (of_->on_hearing, {}) ();
            return taken > 0 ? base::result<std::size_t> (taken) : base::errc::would_block;
        }
        base::result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override
        {
            std::size_t left = std::min (of_->says.size () - of_->said, of_->piece_bytes);
            if (std::exchange (of_->rumoured, false) && left == 0)
                return base::errc::would_block;
            if (left == 0)
                return of_->ends ? base::result<std::size_t> (std::size_t{0}) : base::errc::would_block;
            std::size_t given = 0;
            for (const base::bytes_span &each : slices) {
                const std::size_t some = std::min (left, each.size ());
                if (some > 0)
                    std::memcpy (each.data (), of_->says.data () + of_->said, some);
                of_->said += some;
                given += some;
                left -= some;
            }
            return given;
        }
        [[nodiscard]] bool connecting () const noexcept override { return !of_->answers; }
        base::result<void> finish_connect () noexcept override
        {
            return of_->answers ? base::result<void> () : base::errc::in_progress;
        }
        void shutdown_write () noexcept override
        {
            if (of_->on_shutdown)
                of_->on_shutdown ();
        }
        bool wait_writable (base::time_ns) noexcept override { return true; }
        [[nodiscard]] bool output_pending () noexcept override { return !of_->acknowledges; }
        [[nodiscard]] base::io_handle handle () const noexcept override { return handle_; }
        [[nodiscard]] bool admitted () const noexcept override { return true; }
        [[nodiscard]] std::string peer_address () const override { return "script"; }
        [[nodiscard]] std::string local_endpoint () const override { return "script://here"; }
        [[nodiscard]] std::string remote_endpoint () const override { return "script://there"; }

      private:
        std::shared_ptr<script> of_;
        base::io_handle handle_;
    };

    // Gives those who knocked, in their order.
    class listener final : public base::listener
    {
      public:
        explicit listener (scripted_world &of) noexcept : of_ (of) {}
        base::result<std::unique_ptr<base::stream>> accept () noexcept override
        {
            std::unique_ptr<base::stream> next = of_.next_caller ();
            if (next == nullptr)
                return base::errc::would_block;
            return next;
        }
        [[nodiscard]] base::io_handle handle () const noexcept override { return listener_handle; }
        [[nodiscard]] std::string local_endpoint () const override { return "script://here"; }

      private:
        scripted_world &of_;
    };

    // Who is dialled is there already, or the dial is refused.
    class transport final : public base::transport
    {
      public:
        explicit transport (scripted_world &of) noexcept : of_ (of) {}
        [[nodiscard]] std::string_view scheme () const noexcept override { return "script"; }
        base::result<void> check_remote (std::string_view, const base::stream_options &) noexcept override
        {
            return {};
        }
        [[nodiscard]] bool must_ask (std::string_view, const base::stream_options &) const noexcept override
        {
            return false;
        }
        base::resolve_result resolve (std::string_view, const base::stream_options &) noexcept override
        {
            ++of_.lookups;
            return {std::vector<base::address> (of_.addresses, {"script://there", {}}), {}};
        }
        base::result<std::unique_ptr<base::stream>> dial (const base::address &,
                                                          const base::stream_options &) noexcept override
        {
            std::unique_ptr<base::stream> next = of_.next_caller ();
            if (next == nullptr)
                return base::errc::connection_refused;
            return next;
        }
        base::result<std::unique_ptr<base::listener>> listen (std::string_view,
                                                              const base::stream_options &) noexcept override
        {
            return std::unique_ptr<base::listener> (new listener (of_));
        }

      private:
        scripted_world &of_;
    };

    // Tells levels; of what is no script nothing.
    class poller final : public base::poller
    {
      public:
        explicit poller (scripted_world &of) : of_ (of), own_ (of.next_set_++)
        {
            of_.sets_made_[own_] = this;
        }
        ~poller () override { of_.sets_made_.erase (own_); }
        poller (const poller &) = delete;
        poller &operator= (const poller &) = delete;
        base::result<void>
        add (base::io_handle handle, std::uint32_t wish, std::uint64_t tag) noexcept override
        {
            watched_[handle] = {wish, tag};
            return {};
        }
        base::result<void>
        modify (base::io_handle handle, std::uint32_t wish, std::uint64_t tag) noexcept override
        {
            return add (handle, wish, tag);
        }
        void remove (base::io_handle handle) noexcept override { watched_.erase (handle); }
        base::result<std::size_t> wait (std::span<base::poll_event> events, base::time_ns) noexcept override
        {
            std::size_t count = 0;
            for (auto &[handle, how] : watched_) {
                const std::uint32_t now = ready (handle, how.first);
                if (now == 0 || count == events.size ())
                    continue;
                events[count++] = {how.second, now};
                if ((how.first & base::interest_one_shot) != 0)
                    how.first = 0;
            }
            return count;
        }
        void wake () noexcept override {}
        [[nodiscard]] base::io_handle handle () const noexcept override { return own_; }
        // So that another set which has this one as a member can tell.
        [[nodiscard]] bool has_events () const
        {
            return std::any_of (watched_.begin (), watched_.end (), [this] (const auto &each) {
                return ready (each.first, each.second.first) != 0;
            });
        }

      private:
        [[nodiscard]] std::uint32_t ready (base::io_handle handle, std::uint32_t wish) const
        {
            const bool reads = (wish & base::interest_read) != 0 && of_.readable (handle);
            const bool writes = (wish & base::interest_write) != 0 && of_.writable (handle);
            return (reads ? base::ready_read : 0u) | (writes ? base::ready_write : 0u);
        }

        scripted_world &of_;
        base::io_handle own_;
        std::map<base::io_handle, std::pair<std::uint32_t, std::uint64_t>> watched_;
    };

    // The first set is the reactor's.
    class pollers final : public base::poller_factory
    {
      public:
        explicit pollers (scripted_world &of) noexcept : of_ (of) {}
        base::result<std::unique_ptr<base::poller>> make () noexcept override
        {
            auto made = std::make_unique<poller> (of_);
            if (of_.reactors_ == nullptr)
                of_.reactors_ = made.get ();
            return std::unique_ptr<base::poller> (std::move (made));
        }
        [[nodiscard]] bool nests () const noexcept override { return true; }
        base::result<std::size_t>
        wait_list (std::span<base::poll_entry>, base::time_ns, base::signal_mask) noexcept override
        {
            return std::size_t{0};
        }

      private:
        scripted_world &of_;
    };

    // Our end of the next stream; null: nobody is there.
    std::unique_ptr<base::stream> next_caller ()
    {
        if (callers_.empty ())
            return nullptr;
        std::shared_ptr<script> next = std::move (callers_.front ());
        callers_.pop_front ();
        const base::io_handle handle = next_stream_++;
        scripts_[handle] = next;
        std::unique_ptr<base::stream> made (new stream (std::move (next), handle));
        return wrap ? wrap (std::move (made)) : std::move (made);
    }
    // By the handles that the sets know.
    [[nodiscard]] bool readable (base::io_handle handle) const
    {
        if (handle == listener_handle)
            return !callers_.empty ();
        if (const auto set = sets_made_.find (handle); set != sets_made_.end ())
            return set->second->has_events ();
        const auto found = scripts_.find (handle);
        return found != scripts_.end () && found->second->open && found->second->readable ();
    }
    // A script without room is a kernel that is full.
    [[nodiscard]] bool writable (base::io_handle handle) const
    {
        const auto found = scripts_.find (handle);
        return found != scripts_.end () && found->second->open && found->second->answers
               && found->second->room_bytes > 0;
    }
    // False: there was nothing to tell.
    bool dispatch ()
    {
        std::array<base::poll_event, 64> events;
        if (reactors_ == nullptr)
            return false;
        const std::size_t count = reactors_->wait (events, 0).value ();
        for (std::size_t i = 0; i < count; ++i)
            socket_core::dispatch (events[i]);
        return count > 0;
    }

    // Time, sleep, dice and threads are the quiet world's; the rest is here.
    quiet_world around_;
    std::deque<std::shared_ptr<script>> callers_;
    std::map<base::io_handle, std::shared_ptr<script>> scripts_;
    base::io_handle next_stream_ = first_stream;
    base::io_handle next_set_ = 1'000'000;
    std::map<base::io_handle, poller *> sets_made_;
    // Streams live on here behind their end, as nobody has their number again.
    poller *reactors_ = nullptr;  // the first that was made: the reactor's
    transport by_{*this};
    pollers sets_{*this};
    std::array<base::transport *, 1> all_{&by_};
    base::world here_{around_.world ().time,
                      around_.world ().sleep,
                      sets_,
                      around_.world ().dice,
                      around_.world ().names,
                      around_.world ().threads,
                      std::span<base::transport *const> (all_)};
};

}  // namespace zlink::engine::test
