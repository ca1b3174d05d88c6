// A socket's events for tests: queues of zlink.h's, monitors of zmq.h's.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/sockets.hpp"

namespace zlink::test {

[[nodiscard]] inline std::string event_name (std::uint64_t event)
{
    // By bit, as in both headers.
    static constexpr std::array names = {
      "connected",
      "connect delayed",
      "connect retried",
      "listening",
      "bind failed",
      "accepted",
      "accept failed",
      "closed",
      "close failed",
      "disconnected",
      "stopped",
      "handshake failed",
      "ready",
      "handshake failed: protocol",
      "handshake failed: authentication",
    };
    for (std::size_t bit = 0; bit < names.size (); ++bit)
        if (event == std::uint64_t{1} << bit)
            return names[bit];
    return "event " + std::to_string (event);
}

// A queue of zlink.h's. It outlives its socket.
class events
{
  public:
    explicit events (void *of, std::uint64_t mask = ZLINK_EVENT_ALL, std::size_t queued_max = 0)
      : handle_ (zlink_events_open (of, mask, queued_max))
    {
        EXPECT_NE (handle_, nullptr) << zmq_strerror (errno);
    }
    ~events () { close (); }
    events (events &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    events &operator= (events &&) = delete;
    operator void * () const { return handle_; }
    void close ()
    {
        if (void *const gone = std::exchange (handle_, nullptr); gone != nullptr) {
            EXPECT_EQ (zlink_events_close (gone), 0);
        }
    }

    // The next one within the watchdog's time; all zeroes if none comes.
    [[nodiscard]] zlink_event_t next (int timeout_ms = watchdog_ms)
    {
        zlink_event_t got{};
        if (zlink_events_recv (handle_, &got, timeout_ms) != 0)
            got = {};
        return got;
    }
    [[nodiscard]] std::string next_name () { return event_name (next ().event); }
    // All up to the first of that kind, which must come.
    [[nodiscard]] std::vector<zlink_event_t> up_to (std::uint64_t kind)
    {
        std::vector<zlink_event_t> all;
        do
            all.push_back (next ());
        while (all.back ().event != kind && all.back ().event != 0);
        return all;
    }

  private:
    void *handle_;
};

[[nodiscard]] inline std::vector<std::string> names (const std::vector<zlink_event_t> &of)
{
    std::vector<std::string> all;
    for (const zlink_event_t &each : of)
        all.push_back (event_name (each.event));
    return all;
}

// What a monitor of zmq.h said.
struct monitor_event
{
    std::uint64_t event = 0;
    std::uint64_t value = 0;
    std::string local;  // version 1: the one address that it names
    std::string remote;
};

// A monitor and its reader.
class zmq_monitor
{
  public:
    zmq_monitor (void *context, void *of, int version = 1, std::uint64_t mask = ZMQ_EVENT_ALL)
      : version_ (version), reader_ (context, ZMQ_PAIR)
    {
        const std::string place = "inproc://monitor-" + std::to_string (next_monitor ());
        EXPECT_EQ (zmq_socket_monitor_versioned (of, place.c_str (), mask, version, ZMQ_PAIR), 0)
          << zmq_strerror (errno);
        reader_.connect (place);
    }
    socket &reader () { return reader_; }

    // event is 0 when none comes within the watchdog's time.
    [[nodiscard]] monitor_event next (int flags = 0)
    {
        const std::vector<std::string> parts = reader_.receive_message (flags);
        monitor_event got;
        if (version_ == 1) {
            EXPECT_TRUE (parts.empty () || (parts.size () == 2 && parts[0].size () == 6));
            if (parts.size () == 2) {
                got.event = number<std::uint16_t> (parts[0]);
                got.value = number<std::uint32_t> (parts[0].substr (2));
                got.local = parts[1];
            }
            return got;
        }
        EXPECT_TRUE (parts.empty () || parts.size () >= 5);
        if (parts.size () >= 5) {
            got.event = number<std::uint64_t> (parts[0]);
            EXPECT_EQ (number<std::uint64_t> (parts[1]), parts.size () - 4);
            got.value = number<std::uint64_t> (parts[2]);
            got.local = parts[parts.size () - 2];
            got.remote = parts.back ();
        }
        return got;
    }
    [[nodiscard]] std::string next_name () { return event_name (next ().event); }

  private:
    template <class Number> static Number number (const std::string &from)
    {
        Number value{};
        std::memcpy (&value, from.data (), sizeof value);
        return value;
    }
    static int next_monitor ()
    {
        static std::atomic<int> next{1};
        return next++;
    }

    int version_;
    socket reader_;
};

}  // namespace zlink::test
