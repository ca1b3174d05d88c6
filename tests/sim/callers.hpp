// What callers do with a socket: a sender that offers a stream's messages, a
// receiver that takes what comes, and answers it where it is a REP, and a
// requester that wants its own request back as the answer, each in all the ways
// that the facade knows, as the dice say.
//
// Thread rule: each runs in a fibre of its own.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/message.hpp"
#include "sim/ledger.hpp"
#include "sim/world.hpp"
#include "socket/poll_set.hpp"

namespace zlink::sim {

// What the fibres of one scenario share.
struct stage
{
    virtual_world &world;
    ledger &book;
    bool may_be_refused = false;  // sockets close and contexts end under the callers
    // Bodies that were sent as constants: they stay.
    std::vector<std::vector<std::byte>> constants;
    // Bodies that were given away, until they are given back.
    std::map<const void *, std::vector<std::byte>> lent;
};

struct socket_seat
{
    std::string name;
    void *handle = nullptr;
    int type = 0;
    bool alone_sending = true;  // one sender only: parts may be sent one by one
    bool alone_receiving = true;
    bool labels = false;                   // a name, or a topic, stands before what it receives and sends
    std::vector<std::string> labelled;     // names of its peers, or topics
    bool any_label = false;                // its peers' names are made up
    std::size_t by_number = 0;             // it speaks to so many, by numbers
    std::vector<std::uint32_t> numbers{};  // of whom it has heard, each once
    std::map<std::uint32_t, std::string> dialled_by_number{};
    unsigned copies = 1;                 // a publisher: how many hear each message
    unsigned copy = 0;                   // a subscriber: which of them it is
    int slow = -1;                       // a publisher: its SLOW_CONSUMER; -1: it waits for all
    bool rule_changes = false;           // and that is not for ever
    bool wants_gaps = false;             // a subscriber
    bool late = false;                   // it begins to read a while after the others
    bool answers = false;                // a REP: each request goes back as its answer
    bool hears_topics = false;           // an XPUB
    bool told_anew = false;              // it is told of a topic each time that somebody wants it
    bool by_hand = false;                // it says itself who gets what
    std::map<std::string, bool> told{};  // it, of which topics; whether they are wanted
    // A REQ: what it asked last, and whether the answer is there.
    std::vector<std::vector<std::byte>> request{};
    bool answered = true;
};

class sender
{
  public:
    sender (stage &on, socket_seat &from, std::uint16_t stream) noexcept
      : on_ (on), from_ (from), stream_ (stream)
    {
    }

    // Offers so many more messages; false when the socket or its context ended.
    bool send (std::uint32_t count);
    // Gives up a message that is not accepted at once.
    bool gives_up = false;
    // Of a ROUTER: to whom.
    std::string label;
    // How long it pauses now and then.
    time_ns pause_max_ns = base::ns_per_ms;
    // The place of the next.
    [[nodiscard]] std::uint32_t next () const noexcept { return next_; }

  private:
    enum class answer : std::uint8_t
    {
        accepted,
        again,        // nothing of the message was taken
        interrupted,  // no part more than before
        over,
    };

    answer attempt (std::uint32_t &place, std::uint32_t end, unsigned flags);
    answer send_whole (std::uint32_t place, unsigned flags);
    answer send_bytes (std::uint32_t place, unsigned flags);
    answer send_by_parts (std::uint32_t place, unsigned flags);
    answer send_batch (std::uint32_t &place, std::uint32_t end, unsigned flags);
    answer send_part (base::message &part, unsigned flags);
    answer judge (base::errc code);
    void settle (std::uint32_t place, answer what);
    void wait_for_room ();
    std::vector<base::message> make (std::uint32_t place);
    base::message lend (std::vector<std::byte> body);

    stage &on_;
    socket_seat &from_;
    const std::uint16_t stream_;
    std::uint32_t next_ = 0;
};

class receiver
{
  public:
    receiver (stage &on, socket_seat &at, std::size_t number) noexcept
      : on_ (on), at_ (at), number_ (number), kept_ (on.world.seams)
    {
    }

    // Takes what comes until the socket or its context ends, or over().
    void receive_until (const bool &over);
    bool may_block = true;  // for ever, so that somebody has to end it
    time_ns gives_up_at = base::never_ns;

  private:
    enum class answer : std::uint8_t
    {
        taken,
        nothing,
        over,
    };

    answer attempt (unsigned flags);
    answer take_message (unsigned flags);
    answer take_by_parts (unsigned flags);
    answer take_buffer (unsigned flags);
    answer take_many (unsigned flags);
    answer take_packed (unsigned flags);
    answer take_placed (unsigned flags);
    void meet (const base::message &part);
    void enter (std::span<const std::vector<std::byte>> parts);
    void compare (std::span<const std::vector<std::byte>> parts);
    void give_back (std::span<const std::vector<std::byte>> parts);
    bool hear_of_topic (std::span<const std::vector<std::byte>> parts);
    answer judge (base::errc code);
    // Until something may be there; false when the socket ended.
    bool wait_for_news ();
    bool wait_on_descriptor ();
    bool wait_in_poll ();
    base::result<std::size_t> poll_as_before (std::span<const socket::poll_item> items, int timeout_ms);

    stage &on_;
    socket_seat &at_;
    const std::size_t number_;
    socket::poll_set kept_;
    time_ns idle_ns_ = 100'000;
};

// A subscriber that wants more now and then, and less again, in all the ways that
// there are to say so.
class chooser
{
  public:
    chooser (stage &on, socket_seat &at) noexcept : on_ (on), at_ (at) {}

    // So many changes, and then back to what it wanted at first; false when the
    // socket or its context ended.
    bool change (unsigned count);

  private:
    struct wish
    {
        std::string topic;
        bool pattern = false;
    };

    bool say (const wish &what, bool cancel);
    bool say_by_option (const wish &what, bool cancel);
    bool say_by_message (const wish &what, bool cancel);
    bool say_several ();
    bool judge (base::errc code);

    stage &on_;
    socket_seat &at_;
    std::vector<wish> held_;  // as often as it was asked for
};

class requester
{
  public:
    requester (stage &on, socket_seat &at, std::uint16_t stream) noexcept
      : on_ (on), at_ (at), stream_ (stream), asks_ (on, at, stream)
    {
    }

    // So many requests, each with its answer; false when the socket or its context
    // ended.
    bool ask (std::uint32_t count);
    // Asks the next one when an answer does not come soon: needs REQ_RELAXED, and
    // REQ_CORRELATE lest it come then.
    bool impatient = false;

  private:
    stage &on_;
    socket_seat &at_;
    const std::uint16_t stream_;
    sender asks_;
};

}  // namespace zlink::sim
