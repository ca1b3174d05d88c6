// Contexts, sockets and messages of the C ABIs as values for tests. Both
// ABIs stand over one core here, so zlink.h's calls work on these sockets.
//
// Sockets start with LINGER 0 and with time-outs as long as the watchdog, so
// that a lost message or wake-up fails a test and does not hang it.
#pragma once

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/waiting.hpp"
#include "zlink/zlink.h"
#include "zmq.h"

namespace zlink::test {

class context
{
  public:
    explicit context (void *made = zmq_ctx_new ()) : handle_ (made) {}
    ~context () { EXPECT_EQ (term (), 0) << zmq_strerror (errno); }
    context (const context &) = delete;
    context &operator= (const context &) = delete;
    operator void * () const { return handle_; }
    int term ()
    {
        void *const gone = std::exchange (handle_, nullptr);
        if (gone == nullptr)
            return 0;
        int outcome = 0;
        do
            outcome = zlink_ctx_term_ms (gone, watchdog_ms);
        while (outcome != 0 && errno == EINTR);
        return outcome;
    }
    // For a test that has ended it in another way.
    void forget () { handle_ = nullptr; }

  private:
    void *handle_;
};

// One part of a message.
class part
{
  public:
    part () { zmq_msg_init (&raw_); }
    explicit part (std::string_view text) { zmq_msg_init_buffer (&raw_, text.data (), text.size ()); }
    part (void *data, std::size_t size, zmq_free_fn *release, void *hint)
    {
        EXPECT_EQ (zmq_msg_init_data (&raw_, data, size, release, hint), 0);
    }
    ~part () { zmq_msg_close (&raw_); }
    part (const part &) = delete;
    part &operator= (const part &) = delete;
    zmq_msg_t *raw () { return &raw_; }
    [[nodiscard]] std::string text ()
    {
        return {static_cast<const char *> (zmq_msg_data (&raw_)), zmq_msg_size (&raw_)};
    }
    [[nodiscard]] std::size_t size () const { return zmq_msg_size (&raw_); }
    [[nodiscard]] bool more () const { return zmq_msg_more (&raw_) != 0; }
    // Of SERVER and PEER: whose it is, or is to be.
    [[nodiscard]] std::uint32_t number () { return zmq_msg_routing_id (&raw_); }
    // Of RADIO and DISH.
    [[nodiscard]] std::string group () { return zmq_msg_group (&raw_); }
    part &in (const std::string &group)
    {
        EXPECT_EQ (zmq_msg_set_group (&raw_, group.c_str ()), 0);
        return *this;
    }
    part &to (std::uint32_t number)
    {
        EXPECT_EQ (zmq_msg_set_routing_id (&raw_, number), 0);
        return *this;
    }

  private:
    zmq_msg_t raw_;
};

// Parts for zlink.h's calls on whole messages.
template <std::size_t N> struct parts_of
{
    parts_of ()
    {
        for (zlink_msg_t &each : all)
            zlink_msg_init (&each);
    }
    ~parts_of ()
    {
        for (zlink_msg_t &each : all)
            zlink_msg_close (&each);
    }
    parts_of (const parts_of &) = delete;
    parts_of &operator= (const parts_of &) = delete;
    void set (std::size_t at, std::string_view text)
    {
        zlink_msg_close (&all[at]);
        zlink_msg_init_buffer (&all[at], text.data (), text.size ());
    }
    [[nodiscard]] std::string text (std::size_t at)
    {
        return {static_cast<const char *> (zlink_msg_data (&all[at])), zlink_msg_size (&all[at])};
    }
    zlink_msg_t *data () { return all.data (); }

    std::array<zlink_msg_t, N> all{};
};

class socket
{
  public:
    socket (void *of, int type) : handle_ (nullptr)
    {
        // A test that opens and closes in a loop may be ahead of those that
        // still close.
        (void)eventually ([&] {
            handle_ = zmq_socket (of, type);
            return handle_ != nullptr || errno != EMFILE;
        });
        EXPECT_NE (handle_, nullptr) << zmq_strerror (errno);
        set (ZMQ_LINGER, 0);
        set (ZMQ_RCVTIMEO, watchdog_ms);
        set (ZMQ_SNDTIMEO, watchdog_ms);
    }
    ~socket () { close (); }
    socket (socket &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    socket &operator= (socket &&) = delete;
    operator void * () const { return handle_; }
    int close ()
    {
        void *const gone = std::exchange (handle_, nullptr);
        return gone == nullptr ? 0 : zmq_close (gone);
    }

    void set (int option, int value)
    {
        EXPECT_EQ (zmq_setsockopt (handle_, option, &value, sizeof value), 0) << option;
    }
    void set_wide (int option, std::int64_t value)
    {
        EXPECT_EQ (zmq_setsockopt (handle_, option, &value, sizeof value), 0) << option;
    }
    [[nodiscard]] int get (int option) const
    {
        int value = 0;
        std::size_t size = sizeof value;
        EXPECT_EQ (zmq_getsockopt (handle_, option, &value, &size), 0) << option;
        return value;
    }
    [[nodiscard]] std::string last_endpoint () const
    {
        std::array<char, 512> text{};
        std::size_t size = text.size ();
        EXPECT_EQ (zmq_getsockopt (handle_, ZMQ_LAST_ENDPOINT, text.data (), &size), 0);
        return text.data ();
    }

    // Answer where it is bound now.
    std::string bind (const std::string &endpoint)
    {
        EXPECT_EQ (zmq_bind (handle_, endpoint.c_str ()), 0) << endpoint << ": " << zmq_strerror (errno);
        return last_endpoint ();
    }
    void connect (const std::string &endpoint)
    {
        EXPECT_EQ (zmq_connect (handle_, endpoint.c_str ()), 0) << endpoint << ": " << zmq_strerror (errno);
    }
    void unbind (const std::string &endpoint)
    {
        EXPECT_EQ (zmq_unbind (handle_, endpoint.c_str ()), 0) << endpoint << ": " << zmq_strerror (errno);
    }
    void disconnect (const std::string &endpoint)
    {
        EXPECT_EQ (zmq_disconnect (handle_, endpoint.c_str ()), 0)
          << endpoint << ": " << zmq_strerror (errno);
    }
    [[nodiscard]] bool has_peers (unsigned count = 1) const
    {
        return zlink_wait_peers (handle_, count, watchdog_ms) == 0;
    }
    [[nodiscard]] zlink_endpoint_status_t status (const std::string &endpoint) const
    {
        zlink_endpoint_status_t found{};
        EXPECT_EQ (zlink_connect_status (handle_, endpoint.c_str (), &found), 0) << endpoint;
        return found;
    }
    [[nodiscard]] zlink_statistics_t statistics () const
    {
        zlink_statistics_t found{};
        EXPECT_EQ (zlink_statistics (handle_, &found), 0);
        return found;
    }

    // True when all of it was accepted; else errno says why.
    [[nodiscard]] bool send (std::string_view text, int flags = 0)
    {
        return zmq_send (handle_, text.data (), text.size (), flags) == static_cast<int> (text.size ());
    }
    // To the peer of that number: SERVER and PEER.
    [[nodiscard]] bool send_to (std::uint32_t number, std::string_view text, int flags = 0)
    {
        part one (text);
        return zmq_msg_send (one.to (number).raw (), handle_, flags) == static_cast<int> (text.size ());
    }
    // To a group: RADIO.
    [[nodiscard]] bool send_in (const std::string &group, std::string_view text, int flags = 0)
    {
        part one (text);
        return zmq_msg_send (one.in (group).raw (), handle_, flags) == static_cast<int> (text.size ());
    }
    // The next message, and its group.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>> receive_in (int flags = 0)
    {
        part next;
        if (zmq_msg_recv (next.raw (), handle_, flags) < 0)
            return std::nullopt;
        return std::pair (next.group (), next.text ());
    }
    // The next message, and whose it is.
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::string>> receive_from (int flags = 0)
    {
        part next;
        if (zmq_msg_recv (next.raw (), handle_, flags) < 0)
            return std::nullopt;
        return std::pair (next.number (), next.text ());
    }
    [[nodiscard]] bool send (const std::vector<std::string> &message)
    {
        for (std::size_t i = 0; i < message.size (); ++i)
            if (!send (message[i], i + 1 < message.size () ? ZMQ_SNDMORE : 0))
                return false;
        return true;
    }
    // The next part; nothing on failure, and errno says why.
    [[nodiscard]] std::optional<std::string> receive (int flags = 0)
    {
        part next;
        if (zmq_msg_recv (next.raw (), handle_, flags) < 0)
            return std::nullopt;
        return next.text ();
    }
    // The next message; empty on failure.
    [[nodiscard]] std::vector<std::string> receive_message (int flags = 0)
    {
        std::vector<std::string> message;
        do {
            std::optional<std::string> next = receive (flags);
            if (!next)
                return {};
            message.push_back (std::move (*next));
        } while (get (ZMQ_RCVMORE) != 0);
        return message;
    }
    // How many messages go out before one is refused for as long as timeout_ms.
    [[nodiscard]] int send_until_full (std::string_view text, int timeout_ms, int limit = 1'000'000)
    {
        set (ZMQ_SNDTIMEO, timeout_ms);
        int accepted = 0;
        while (accepted < limit && send (text))
            ++accepted;
        EXPECT_TRUE (accepted == limit || errno == EAGAIN) << zmq_strerror (errno);
        set (ZMQ_SNDTIMEO, watchdog_ms);
        return accepted;
    }

  private:
    void *handle_;
};

// Counts what is released through it.
struct release_count
{
    std::atomic<int> calls{0};
    static void release (void *, void *hint) { ++static_cast<release_count *> (hint)->calls; }
    [[nodiscard]] bool reaches (int wanted)
    {
        return eventually ([&] { return calls.load () >= wanted; }) && calls.load () == wanted;
    }
};

// What a part of this size holds, different for every salt.
[[nodiscard]] inline std::string pattern (std::size_t size, unsigned salt = 0)
{
    std::string text (size, '\0');
    unsigned state = salt * 2654435761u + 12345u;
    for (char &each : text) {
        state = state * 1664525u + 1013904223u;
        each = static_cast<char> (state >> 24);
    }
    return text;
}

}  // namespace zlink::test
