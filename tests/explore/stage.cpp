#include "explore/stage.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/socket_locks.hpp"
#include "socket/facade.hpp"

namespace zlink::explore {

namespace {

constexpr int option_linger = 17;
constexpr int option_send_hwm = 23;
constexpr int option_receive_hwm = 24;

constexpr time_ns patience_ns = 10 * base::ns_per_s;
// Longer than any tick and any way through the network, shorter than whatever
// makes up for a lost wake.
constexpr time_ns news_within_ns = 1'500 * base::ns_per_us;

[[nodiscard]] bool is_gone (base::errc code) noexcept
{
    return code == base::errc::not_a_socket || code == base::errc::terminated;
}

}  // namespace

stage::stage (sim::simulation &of, const sim::world_choice &choice) : sim (of)
{
    world.emplace (of, choice);
    std::shared_ptr<void> keep (nullptr, [this] (void *) { context_gone_ = true; });
    const auto made = socket::context_open (world->seams, socket::header::zmq, std::move (keep));
    if (!made.ok ())
        sim.fail ("a context cannot be opened");
    context_ = made.value ();
}

void stage::set (void *socket, int option, int value)
{
    if (!socket::set_option (socket, option, &value, sizeof value).ok ())
        sim.fail ("option " + std::to_string (option) + " is refused");
}

void *stage::open (kind type, const marks &hwm)
{
    const auto made = socket::open (context_, static_cast<int> (type));
    if (!made.ok ())
        sim.fail ("a socket cannot be opened");
    sockets_.push_back (made.value ());
    sim.guard (*sim::lock_word_of (made.value ()));
    set (made.value (), option_linger, 0);
    set (made.value (), option_send_hwm, hwm.send);
    set (made.value (), option_receive_hwm, hwm.receive);
    return made.value ();
}

void stage::link (void *binder, void *dialer, const std::string &endpoint)
{
    if (!socket::bind (binder, endpoint).ok () || !socket::connect (dialer, endpoint).ok ())
        sim.fail ("no link: " + endpoint);
    const auto have = [this] (void *socket) {
        const auto is = socket::wait_peers (socket, 1, patience_ns);
        if (!is.ok ())
            sim.fail ("no peer");
    };
    have (binder);
    have (dialer);
}

std::size_t stage::caller (const std::string &name, std::function<void ()> body)
{
    callers_.push_back (sim.spawn (name, std::move (body)));
    return callers_.back ();
}

void stage::send (void *socket, unsigned count, unsigned flags)
{
    for (unsigned i = 0; i < count;) {
        const unsigned number = next_++;
        std::vector<std::byte> body (body_bytes);
        std::memcpy (body.data (), &number, sizeof number);
        seen_.resize (next_);
        sent_.resize (next_, true);
        const auto code = socket::send (socket, base::bytes_view (body), flags).code ();
        if (is_gone (code))
            return;
        if (code == base::errc::ok)
            ++i;
        else if (code != base::errc::would_block && code != base::errc::interrupted)
            sim.fail ("a send answers " + std::to_string (static_cast<int> (code)));
        sent_[number] = code == base::errc::ok;
        if (code == base::errc::would_block)
            sim.pass_time (10 * base::ns_per_us);
    }
}

void stage::count (base::bytes_view body)
{
    unsigned number = 0;
    if (body.size () != body_bytes)
        sim.fail ("a message of another size arrives");
    std::memcpy (&number, body.data (), sizeof number);
    if (number >= seen_.size () || !sent_[number])
        sim.fail ("message " + std::to_string (number) + " arrives, but was not sent");
    if (seen_[number])
        sim.fail ("message " + std::to_string (number) + " arrives twice");
    seen_[number] = true;
    ++received_;
}

stage::taken stage::receive (void *socket, unsigned flags)
{
    std::byte buffer[256];
    const auto got = socket::receive (socket, base::bytes_span (buffer), flags);
    if (is_gone (got.code ()))
        return taken::gone;
    if (got.code () == base::errc::would_block || got.code () == base::errc::interrupted)
        return taken::nothing;
    if (got.code () != base::errc::ok)
        sim.fail ("a receive answers " + std::to_string (static_cast<int> (got.code ())));
    count (base::bytes_view (buffer, got.size ()));
    return taken::message;
}

void stage::receive_all (void *socket)
{
    while (receive (socket, 0) != taken::gone) {}
}

void stage::begin () { sim.expect_news (news_within_ns); }

void stage::wait_until (const char *what, const std::function<bool ()> &done)
{
    if (sim.wait (what, sim.now () + patience_ns, done) != sim::wait_end::ready)
        sim.fail (std::string ("in vain: ") + what);
}

void stage::expect_received (unsigned count)
{
    wait_until ("waits for the messages", [this, count] { return received_ >= count; });
    if (!may_lose && received_ != count)
        sim.fail ("more messages than were sent");
}

void stage::expect_last_of (unsigned count)
{
    wait_until ("waits for the last message",
                [this, count] { return seen_.size () == count && seen_.back (); });
}

void stage::expect_home () { expect_home_but_receivers (0); }

void stage::shut_down () { (void)socket::context_shutdown (context_); }

void stage::expect_home_but_receivers (std::size_t first)
{
    wait_until ("waits for the callers to come home", [this, first] {
        return std::all_of (callers_.begin () + static_cast<std::ptrdiff_t> (first), callers_.end (),
                            [this] (std::size_t each) { return sim.finished (each); });
    });
}

void stage::end ()
{
    for (void *each : sockets_)
        (void)socket::close (each);
    expect_home ();
    sim.expect_news (base::never_ns);
    const auto ended = socket::context_terminate (context_, sim.now () + patience_ns);
    if (!ended.ok ())
        sim.fail ("terminate answers " + std::to_string (static_cast<int> (ended.code ())));
    wait_until ("waits for the last of the context", [this] { return context_gone_; });
    if (world->net.streams () + world->net.listeners () + world->files.open_files () > 0)
        sim.fail ("streams or descriptors are left behind");
    if (world->threads.running () > 0)
        sim.fail ("a thread is left behind");
    world.reset ();
}

}  // namespace zlink::explore
