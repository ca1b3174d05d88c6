// One socket to all the registries that a provider or a watcher speaks to: who of them
// is there, and messages to and from each.
//
// It is a ROUTER that knows each registry under a name of its own choosing, so that
// their coming and going stands in line with what they send.
//
// Thread rule: one thread at a time; the socket's handle may be polled by another.
// Blocking: no. Lifetime: the world outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/message.hpp"
#include "base/world.hpp"
#include "service/limits.hpp"
#include "socket/facade.hpp"

namespace zlink::service {

enum class line_event : std::uint8_t
{
    nothing,  // before somebody wakes
    connected,
    lost,
    message,  // its octets
};

struct line_news
{
    line_event what = line_event::nothing;
    std::uint32_t source = 0;
    base::bytes_view octets{};  // valid until the next call
};

enum class line_sending : std::uint8_t
{
    sent,
    full,  // not now: again a little later
    away,  // it is not connected
};

class registry_line
{
  public:
    using source_number = std::uint32_t;

    explicit registry_line (base::world &world) noexcept : world_ (world)
    {
        name_.init ();
        room_.init ();
    }
    ~registry_line () { close (); }
    registry_line (const registry_line &) = delete;
    registry_line &operator= (const registry_line &) = delete;

    // The first thing. Of failures: too_many_sockets, terminated, no_memory.
    base::result<void> open (void *context);
    // What was sent goes out for a moment yet. Nothing else is called behind it.
    void close () noexcept;
    [[nodiscard]] void *handle () const noexcept { return socket_; }

    // Counts for registries that are added later.
    base::result<void> set_option (int number, const void *value, std::size_t size)
    {
        return socket::set_option (socket_, number, value, size);
    }
    // Begins to connect; one that is there already keeps its number. invalid_argument: that
    // are too many; no_memory; else as the facade's connect.
    base::result<source_number> add (std::string_view endpoint) noexcept;
    [[nodiscard]] std::size_t size () const noexcept { return sources_.size (); }
    [[nodiscard]] std::string_view endpoint_of (source_number from) const noexcept
    {
        return sources_[from].endpoint;
    }
    [[nodiscard]] bool is_connected (source_number who) const noexcept { return sources_[who].connected; }

    // Drops the connection and makes it anew: the registry has refused to speak. Is not told
    // as lost. False: not now, try again later.
    [[nodiscard]] bool again (source_number whom) noexcept;

    // What has happened next, in order.
    [[nodiscard]] line_news next () noexcept;
    // A turn of the loop: gives what has happened to take, so much at a time. Who is not
    // connected may have come without a word, which the socket had no memory for: that is
    // looked at now and then (registry_look_ns). Answers when the next turn is due.
    template <class Take> base::time_ns read (base::time_ns now, Take take)
    {
        if (now >= look_at_ns_)
            look ();
        unsigned left = line_news_per_turn;
        for (; left > 0; --left) {
            const line_news news = next ();
            if (news.what == line_event::nothing)
                break;
            take (news);
        }
        look_at_ns_ = anybody_away () ? now + registry_look_ns : base::never_ns;
        return left == 0 ? now : look_at_ns_;
    }
    [[nodiscard]] line_sending send (source_number to, base::bytes_view octets) noexcept;

    // The host at our end of the connection to that registry, without brackets; empty: it
    // has none (ipc, inproc); nothing: it is not known. May throw std::bad_alloc.
    [[nodiscard]] std::optional<std::string> route_host (source_number to);

  private:
    struct source
    {
        std::string endpoint;
        std::string name;  // at the socket
        std::string local;
        bool has_local = false;
        bool connected = false;
        bool came = false;  // to be told
    };
    base::result<void> dial (const source &whom) noexcept;
    [[nodiscard]] bool anybody_away () const noexcept;
    // Those that are there and were not told of: next() tells.
    void look () noexcept;
    [[nodiscard]] line_news next_waiting () noexcept;
    [[nodiscard]] line_news judge (source &from, base::message_event what, bool is_message) noexcept;
    [[nodiscard]] bool skip_rest () noexcept;
    [[nodiscard]] source *named (base::bytes_view name) noexcept;
    void note_routes () noexcept;

    base::world &world_;
    void *socket_ = nullptr;
    void *events_ = nullptr;
    std::vector<source> sources_;
    base::time_ns look_at_ns_ = base::never_ns;
    base::message name_{}, room_{};  // what was received last
    bool room_waits_ = false;        // its source's coming was told first
    source_number waiting_from_ = 0;
};

}  // namespace zlink::service
