// soak [MINUTES]: everything that comes and goes, for so long, over tcp,
// ipc and inproc at once: streams of messages of all sizes, connections that
// are made and broken, listeners that go away and come back, contexts that are
// made and ended. What arrives is looked at: whole, in order, once.
//
// Every part (a minute; for short runs a fifth of the time) ends with a line.
// The first part is warm-up. The second sets what is normal: the least memory
// and the fewest descriptors seen in it, sampled twice a second. In every
// later one the least must not be above that by more than the slack below:
// what grows slowly shows in the least, and what is only busy does not.
//
// Looked at closely is what is allocated and not freed. What the process
// occupies grows besides, for a while: the allocator keeps freed memory in an
// arena for each of its many threads, and every record of a handle (6 MiB of
// them) is used once before the first comes back. It has to stay within twice
// the normal, so that memory of no allocator is not missed either.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <malloc.h>
#include <memory>
#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/waiting.hpp"
#include "zlink/zlink.h"

namespace zlink::test {
namespace {

constexpr long allocated_slack_kib = 2L * 1024;
constexpr long rss_slack_kib = 16L * 1024;
constexpr long descriptors_slack = 8;
constexpr long samples_per_second = 2;

std::atomic<bool> stop{false};
std::atomic<bool> failed{false};
std::atomic<std::uint64_t> messages{0};
std::atomic<std::uint64_t> connections{0};
std::atomic<std::uint64_t> contexts{0};

bool expect (bool holds, const char *what)
{
    if (!holds && !failed.exchange (true))
        std::fprintf (stderr, "soak: %s (%s)\n", what, zlink_strerror (zlink_errno ()));
    return holds;
}

// A socket whose calls give up when a lost message would hang them.
class end
{
  public:
    end (void *context, int type) : handle_ (zlink_socket (context, type))
    {
        expect (handle_ != nullptr, "a socket was refused");
        for (const int option : {ZLINK_RCVTIMEO, ZLINK_SNDTIMEO})
            set (option, watchdog_ms);
        set (ZLINK_LINGER, 0);
    }
    ~end () { zlink_close (handle_); }
    end (const end &) = delete;
    end &operator= (const end &) = delete;

    void set (int option, int value) { zlink_setsockopt (handle_, option, &value, sizeof value); }
    // A listener of the round before may still be closing.
    void bind (const std::string &where)
    {
        expect (eventually ([&] { return stop || zlink_bind (handle_, where.c_str ()) == 0; }),
                "an endpoint stayed taken");
    }
    void connect (const std::string &where)
    {
        expect (zlink_connect (handle_, where.c_str ()) == 0, "a connect was refused");
        ++connections;
    }
    void disconnect (const std::string &where) { zlink_disconnect (handle_, where.c_str ()); }
    void unbind (const std::string &where) { zlink_unbind (handle_, where.c_str ()); }
    bool has_peers () { return zlink_wait_peers (handle_, 1, watchdog_ms) == 0; }
    operator void * () const { return handle_; }

  private:
    void *handle_;
};

// Sizes of all orders, small ones most of the time.
std::size_t size_of (std::uint64_t number)
{
    if (number % 1009 == 0)
        return 1u << 20;
    if (number % 101 == 0)
        return 30'000 + number % 50'000;
    if (number % 11 == 0)
        return 300 + number % 8'000;
    return 2 * sizeof number + number % 200;
}

// The number stands at both ends of the body.
bool send_numbered (end &to, std::uint64_t number, std::vector<char> &room, int flags = 0)
{
    const std::size_t size = size_of (number);
    room.resize (size);
    std::memcpy (room.data () + size - sizeof number, &number, sizeof number);
    std::memcpy (room.data (), &number, sizeof number);
    return zlink_send (to, room.data (), size, flags) == static_cast<int> (size);
}

// The number, or nothing: ~0 for time-outs and ends.
std::uint64_t receive_numbered (end &from, int flags = 0)
{
    zlink_msg_t message;
    zlink_msg_init (&message);
    std::uint64_t first = ~std::uint64_t{0};
    if (zlink_msg_recv (&message, from, flags) >= 0) {
        const auto *const bytes = static_cast<const char *> (zlink_msg_data (&message));
        const std::size_t size = zlink_msg_size (&message);
        std::uint64_t last = 0;
        std::memcpy (&first, bytes, sizeof first);
        std::memcpy (&last, bytes + size - sizeof last, sizeof last);
        expect (first == last && size == size_of (first), "a message came back changed");
        ++messages;
    }
    zlink_msg_close (&message);
    return first;
}

constexpr std::uint64_t nothing = ~std::uint64_t{0};

// --- what comes and goes --------------------------------------------------------

// A stream that never ends over one connection.
void stream (std::string (*place) ())
{
    void *const context = zlink_ctx_new ();
    {
        end push (context, ZLINK_PUSH);
        end pull (context, ZLINK_PULL);
        for (end *each : {&push, &pull}) {
            each->set (ZLINK_SNDHWM, 100);
            each->set (ZLINK_RCVHWM, 100);
        }
        const std::string where = place ();
        pull.bind (where);
        push.connect (where);
        const worker sender ([&] {
            std::vector<char> room;
            for (std::uint64_t i = 0; !stop && !failed; ++i)
                expect (send_numbered (push, i, room), "a send was refused");
            (void)send_numbered (push, nothing - 1, room);
        });
        // To the end also when something failed: the sender may wait for room.
        for (std::uint64_t i = 0;; ++i) {
            const std::uint64_t got = receive_numbered (pull);
            if (got == nothing - 1 || got == nothing)
                break;
            expect (got == i, "a message was lost, doubled or out of order");
        }
    }
    expect (zlink_ctx_term_ms (context, watchdog_ms) == 0, "a context did not end");
}

// Connections that are made, used a little and broken, in every way there is.
void visits (std::string (*place) ())
{
    void *const context = zlink_ctx_new ();
    {
        const std::string where = place ();
        end hub (context, ZLINK_PULL);
        hub.bind (where);
        std::vector<char> room;
        for (std::uint64_t round = 0; !stop && !failed; ++round) {
            end visitor (context, ZLINK_PUSH);
            visitor.connect (where);
            const bool reads = round % 4 != 0;  // else it goes with messages under way
            for (std::uint64_t i = 0; i < 10; ++i)
                expect (send_numbered (visitor, i, room), "a visitor's send was refused");
            for (std::uint64_t i = 0; reads && i < 10; ++i)
                expect (receive_numbered (hub) != nothing, "a visitor's message was lost");
            if (round % 3 == 0)
                visitor.disconnect (where);
            while (!reads && receive_numbered (hub, ZLINK_DONTWAIT) != nothing) {}
        }
    }
    expect (zlink_ctx_term_ms (context, watchdog_ms) == 0, "a context did not end");
}

// A dialler whose listener goes away and comes back.
void returns (std::string (*place) ())
{
    void *const context = zlink_ctx_new ();
    {
        const std::string where = place ();
        end dialler (context, ZLINK_PUSH);
        dialler.set (ZLINK_RECONNECT_IVL, 1);
        dialler.set (ZLINK_SNDTIMEO, 50);
        std::vector<char> room;
        std::uint64_t next = 0;
        std::uint64_t last = 0;
        while (!stop && !failed) {
            end listener (context, ZLINK_PULL);
            listener.set (ZLINK_RCVTIMEO, 50);
            listener.bind (where);
            if (stop)
                break;  // perhaps it is not bound
            if (where.starts_with ("inproc") || next == 0)
                dialler.connect (where);
            expect (dialler.has_peers (), "a dialler did not come back");
            ++connections;
            for (int i = 0; i < 200; ++i)
                next += send_numbered (dialler, next + 1, room);
            for (std::uint64_t got = 0; got != nothing && !failed;) {
                got = receive_numbered (listener, last < next ? 0 : ZLINK_DONTWAIT);
                expect (got == nothing || got > last, "a message came twice or too late");
                last = got == nothing ? last : got;
            }
        }
    }
    expect (zlink_ctx_term_ms (context, watchdog_ms) == 0, "a context did not end");
}

// Contexts with a conversation each.
void lives (std::string (*place) ())
{
    const std::string where = place ();
    std::vector<char> room;
    while (!stop && !failed) {
        void *const context = zlink_ctx_new ();
        {
            end one (context, ZLINK_PAIR);
            end two (context, ZLINK_PAIR);
            one.bind (where);
            two.connect (where);
            for (std::uint64_t i = 1; i < 20 && !stop; ++i) {
                expect (send_numbered (two, i, room) && receive_numbered (one) == i, "a message was lost");
                expect (send_numbered (one, i, room) && receive_numbered (two) == i, "an answer was lost");
            }
        }
        expect (zlink_ctx_term_ms (context, watchdog_ms) == 0, "a context did not end");
        ++contexts;
    }
}

// --- what must stay as it is -------------------------------------------------------

struct use
{
    long allocated_kib = 0;
    long rss_kib = 0;
    long descriptors = 0;
};

use used_now ()
{
    use now;
    const struct mallinfo2 heap = ::mallinfo2 ();  // of all arenas
    now.allocated_kib = static_cast<long> ((heap.uordblks + heap.hblkhd) / 1024);
    if (std::FILE *const file = std::fopen ("/proc/self/status", "re"); file != nullptr) {
        std::array<char, 200> line{};
        while (std::fgets (line.data (), static_cast<int> (line.size ()), file) != nullptr)
            if (std::strncmp (line.data (), "VmRSS:", 6) == 0)
                now.rss_kib = std::strtol (line.data () + 6, nullptr, 10);
        std::fclose (file);
    }
    if (DIR *const list = ::opendir ("/proc/self/fd"); list != nullptr) {
        while (::readdir (list) != nullptr)
            ++now.descriptors;
        ::closedir (list);
    }
    return now;
}

use least_during (long seconds, const metronome &half_second)
{
    use least{1L << 60, 1L << 60, 1L << 60};
    for (long i = 0; i < seconds * samples_per_second && !failed; ++i) {
        half_second.beat ();
        const use now = used_now ();
        least = {std::min (least.allocated_kib, now.allocated_kib), std::min (least.rss_kib, now.rss_kib),
                 std::min (least.descriptors, now.descriptors)};
    }
    return least;
}

bool grew (const use &now, const use &normal)
{
    return now.allocated_kib > normal.allocated_kib + normal.allocated_kib / 10 + allocated_slack_kib
           || now.rss_kib > 2 * normal.rss_kib + rss_slack_kib
           || now.descriptors > normal.descriptors + descriptors_slack;
}

int soak (long minutes)
{
    const long parts = std::max (minutes, 5L);
    const long part_seconds = minutes * 60 / parts;
    std::vector<worker> all;
    for (auto *const place : {tcp_place, ipc_place, inproc_place})
        for (auto *const what : {stream, visits, returns, lives})
            all.emplace_back ([what, place] { what (place); });
    const metronome half_second (1'000'000 / samples_per_second);
    use normal;
    for (long part = 0; part < parts && !failed; ++part) {
        const use least = least_during (part_seconds, half_second);
        if (part == 1)
            normal = least;
        const bool too_much = part > 1 && grew (least, normal);
        std::printf ("%5ld s  %12llu messages  %9llu connections  %7llu contexts  %7ld KiB of %7ld  %4ld "
                     "descriptors%s\n",
                     (part + 1) * part_seconds, static_cast<unsigned long long> (messages.load ()),
                     static_cast<unsigned long long> (connections.load ()),
                     static_cast<unsigned long long> (contexts.load ()), least.allocated_kib, least.rss_kib,
                     least.descriptors,
                     part == 0   ? "  (warm-up)"
                     : part == 1 ? "  (normal)"
                     : too_much  ? "  GREW"
                                 : "");
        std::fflush (stdout);
        if (too_much)
            failed = true;
    }
    stop = true;
    all.clear ();
    std::puts (failed ? "soak: failed" : "soak: ok");
    return failed ? 1 : 0;
}

}  // namespace
}  // namespace zlink::test

int main (int count, char **arguments)
{
    const long minutes = count > 1 ? std::strtol (arguments[1], nullptr, 10) : 10;
    if (minutes < 1) {
        std::fputs ("usage: soak [MINUTES]\n", stderr);
        return 2;
    }
    return zlink::test::soak (minutes);
}
