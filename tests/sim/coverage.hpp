// What runs have seen, by name: calls of the facade, faults, changes of a
// connection's state, and what came of it. A name that is not in the table does not compile.
//
// Data that a process can hand to another one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::sim {

// Every function of socket/facade.hpp that the scenarios call; overloads say
// in brackets which.
inline constexpr auto facade_calls = std::to_array<std::string_view> ({
  "context_open",
  "context_shutdown",
  "context_terminate",
  "context_set",
  "context_get",
  "context_set_bytes",
  "context_get_bytes",
  "is_context",
  "context_holders",
  "open",
  "close",
  "bind",
  "connect",
  "unbind",
  "disconnect",
  "set_option",
  "get_option",
  "send (bytes)",
  "send_constant",
  "send (message)",
  "receive (buffer)",
  "receive (message)",
  "send_parts",
  "receive_parts",
  "send_many",
  "receive_many",
  "send_packed",
  "receive_packed",
  "receive_placed",
  "poll",
  "watch",
  "unwatch",
  "status",
  "wait_peers",
  "wait_subscribers",
  "wait_subscribed",
  "monitor_start",
  "monitor_stop",
  "monitor_pipes",
  "monitor_open",
  "events_open",
  "events_receive",
  "events_close",
  "peers",
  "peer_has_room",
  "statistics",
  "count_rows",
  "counters_text",
  "context_counters_text",
});

// What no scenario can call, and why.
struct uncalled
{
    std::string_view name;
    std::string_view why;
};
inline constexpr auto facade_exceptions = std::to_array<uncalled> ({
  {"connect_peer", "only PEER has it: counted among what patterns do"},
  {"disconnect_peer", "only PEER has it: counted among what patterns do"},
  {"disconnect_peer", "by a name it is a ROUTER's: tests/conformance/recalling.cpp runs here, too"},
  {"join", "no scenario has groups; what is done with them is what is done with topics"},
  {"leave", "no scenario has groups"},
  {"key_of", "it tells of a handle; the server of statistics asks it, which runs here, too"},
  {"context_count_rows", "context_counters_text is made of it"},
  {"receive_parts_until", "it is receive_parts with another end of the wait; receivers call it"},
  {"send_headed", "of one-way messages of gateways, which tests/services plays"},
  {"send_headed", "likewise, of bodies without a message"},
  {"prepare_headed", "likewise, to one provider"},
  {"send_prepared", "likewise, of what is prepared so"},
  {"receive_headed", "likewise, of receivers"},
  {"flush_own_tails", "likewise, before a thread of a gateway sleeps"},
  {"unread_bytes", "of publishers of SPOT, which tests/services plays"},
  {"where_stands", "where send_joined goes, which comes next"},
  {"send_joined", "of small messages of SPOT, which tests/services plays"},
  {"forsake_parent", "it gives up all that the process has; a simulated process does not fork"},
  {"has_curve", "it tells how the library was built"},
  {"make_key_pair", "it has to do with no socket"},
  {"hash_password", "it has to do with no socket"},
  {"judge_by", "only scenarios with mechanisms have functions: counted among what doors do"},
  {"public_key_of", "it has to do with no socket"},
});

inline constexpr auto faults = std::to_array<std::string_view> ({
  "reset",
  "half-close",
  "stall",
  "one-byte piece",
  "short write",
  "full buffer",
  "refused connect",
  "unanswered connect",
  "no descriptor for a dial",
  "no descriptor for an accept",
  "failed lookup",
  "nobody at the first address",
  "signal",
  "spurious wake",
  "closed under callers",
  "context ended under callers",
  "endpoint taken away",
  "closed with input unread",
});

// The state table of a connection. "none" is before its first state and after
// its last; "unwritable" is ready with a dead sending side, and left as ready
// is. A state lasts until the holders of claims have let go.
inline constexpr auto state_changes = std::to_array<std::string_view> ({
  "dialled: none > lost",          "dialled: lost > resolving",    "dialled: resolving > lost",
  "dialled: lost > connecting",    "dialled: connecting > lost",   "dialled: connecting > handshaking",
  "dialled: handshaking > lost",   "dialled: handshaking > ready", "dialled: ready > unwritable",
  "dialled: ready > lost",         "dialled: ready > draining",    "dialled: draining > none",
  "dialled: lost > none",          "dialled: resolving > none",    "dialled: connecting > none",
  "dialled: handshaking > none",   "dialled: ready > none",        "accepted: none > handshaking",
  "accepted: handshaking > ready", "accepted: ready > unwritable", "accepted: ready > draining",
  "accepted: draining > none",     "accepted: handshaking > none", "accepted: ready > none",
});

// What a scenario ended with, and calls beside the facade's: zmq_poll's of
// socket/poll_set.hpp.
inline constexpr auto outcomes = std::to_array<std::string_view> ({
  "polled with a kept set",
  "stream unhurt by the storm",
});

// What patterns do beside carrying messages: of mixed scenarios only.
inline constexpr auto pattern_turns = std::to_array<std::string_view> ({
  "request answered",
  "number told",
  "request asked anew",
  "packet of a stream",
  "newest given up",
  "oldest given up",
  "older of a topic given up",
  "slow subscriber disconnected",
  "slow rule changed",
  "losses added up",
  "gaps added up",
  "topic told",
  "topic taken back",
  "topic told again",
  "topic entered by hand",
  "topic asked for by an option",
  "topic asked for by a pattern",
  "topic asked for by a message",
  "topics asked for by one message",
  "message of a subscriber",
  "topics as they should be",
  "cut of both ways",
  "cut of one way",
  "cut noticed by who had dialled",
  "cut noticed by who was dialled",
  "traffic after a cut",
  "connect_peer",
  "disconnect_peer",
});

// What is done about who comes in: of secured scenarios only.
inline constexpr auto door_turns = std::to_array<std::string_view> ({
  "door of NULL",
  "door of PLAIN",
  "door of CURVE",
  "door with a list",
  "judge_by",
  "handler asked",
  "function asked",
  "turned away and let in later",
  "stranger knocked",
  "stranger turned away",
});

inline constexpr std::size_t plain_features =
  facade_calls.size () + faults.size () + state_changes.size () + outcomes.size ();
inline constexpr std::size_t mixed_features = plain_features + pattern_turns.size ();
inline constexpr std::size_t features = mixed_features + door_turns.size ();

[[nodiscard]] constexpr std::string_view name_of_feature (std::size_t number) noexcept
{
    if (number < facade_calls.size ())
        return facade_calls[number];
    number -= facade_calls.size ();
    if (number < faults.size ())
        return faults[number];
    number -= faults.size ();
    if (number < state_changes.size ())
        return state_changes[number];
    number -= state_changes.size ();
    if (number < outcomes.size ())
        return outcomes[number];
    number -= outcomes.size ();
    return number < pattern_turns.size () ? pattern_turns[number]
                                          : door_turns[number - pattern_turns.size ()];
}

// features: there is none of that name.
[[nodiscard]] constexpr std::size_t find_feature (std::string_view name) noexcept
{
    std::size_t number = 0;
    while (number < features && name_of_feature (number) != name)
        ++number;
    return number;
}

class feature
{
  public:
    consteval feature (const char *name) : number_ (find_feature (name))
    {
        if (number_ == features)
            throw "no such feature";
    }
    [[nodiscard]] constexpr std::size_t number () const noexcept { return number_; }

  private:
    std::size_t number_;
};

class coverage
{
  public:
    void saw (feature what) noexcept { ++counts_[what.number ()]; }
    void saw_if (feature what, bool yes) noexcept { counts_[what.number ()] += yes; }
    void saw (std::size_t number) noexcept { ++counts_[number]; }
    [[nodiscard]] std::uint64_t operator[] (std::size_t number) const noexcept { return counts_[number]; }
    coverage &operator+= (const coverage &more) noexcept
    {
        for (std::size_t i = 0; i < features; ++i)
            counts_[i] += more.counts_[i];
        return *this;
    }
    // What a scenario's threads and its weather have done.
    [[nodiscard]] std::uint64_t steps () const noexcept
    {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < facade_calls.size () + faults.size (); ++i)
            sum += counts_[i];
        return sum;
    }
    // Of the first so many.
    [[nodiscard]] std::size_t kinds_seen_less_than (std::uint64_t least,
                                                    std::size_t count = features) const noexcept
    {
        return static_cast<std::size_t> (
          std::count_if (counts_.begin (), counts_.begin () + static_cast<std::ptrdiff_t> (count),
                         [least] (std::uint64_t each) { return each < least; }));
    }
    // A line a feature; those that were seen less often are marked.
    [[nodiscard]] std::string text (std::uint64_t least, std::size_t count = features) const;

  private:
    std::array<std::uint64_t, features> counts_{};
};

}  // namespace zlink::sim
