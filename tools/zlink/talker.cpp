#include "tools/zlink/talker.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <zlink/zlink.h>

namespace zlink::tool {

int say_why (const char *verb, const stop &why)
{
    std::fprintf (stderr, "zlink %s: %s\n", verb, why.why.c_str ());
    return why.code;
}

talker::talker (int type, const attachment &where) : where_ (where), type_ (type)
{
    context_ = zlink_ctx_new ();
    socket_ = context_ == nullptr ? nullptr : zlink_socket (context_, type);
    try {
        demand (socket_ != nullptr, "cannot make the socket");
        const int limit = limit_ms ();
        for (const int number : {ZLINK_SNDTIMEO, ZLINK_RCVTIMEO, ZLINK_LINGER})
            set (number, &limit, sizeof limit, "the time limit");
        for (const option_value &each : where.options)
            set (each.number, each.bytes.data (), each.bytes.size (), each.name);
        demand (counters_.start (context_, where.statistics),
                "cannot serve statistics at " + where.statistics);
    } catch (const stop &) {
        close ();
        throw;
    }
}

void talker::close () noexcept
{
    counters_.stop ();
    if (socket_ != nullptr)
        zlink_close (std::exchange (socket_, nullptr));
    if (context_ != nullptr)
        zlink_ctx_term (std::exchange (context_, nullptr));
}

int talker::limit_ms () const
{
    return where_.time_limit_s < 0 ? -1 : static_cast<int> (std::lround (where_.time_limit_s * 1e3));
}

void talker::demand (bool good, const std::string &what)
{
    if (!good)
        throw stop{exit_failed, what + ": " + zlink_strerror (zlink_errno ())};
}

void talker::in_time (bool good, const char *what) const
{
    if (!good && (zlink_errno () == EAGAIN || zlink_errno () == ETIMEDOUT))
        throw stop{exit_late, fmt::format ("{} within {} s", what, where_.time_limit_s)};
    demand (good, what);
}

void talker::set (int number, const void *value, std::size_t size, const std::string &what)
{
    demand (zlink_setsockopt (socket_, number, value, size) == 0, "cannot set " + what);
}

void talker::bind (const std::string &endpoint)
{
    demand (zlink_bind (socket_, endpoint.c_str ()) == 0, "cannot bind to " + endpoint);
    char at[512] = "";
    std::size_t size = sizeof at;
    if (where_.says_where && zlink_getsockopt (socket_, ZLINK_LAST_ENDPOINT, at, &size) == 0)
        std::fprintf (stderr, "bound to %s\n", at);
}

void talker::attach ()
{
    for (const std::string &each : where_.binds)
        bind (each);
    for (const std::string &each : where_.connects)
        demand (zlink_connect (socket_, each.c_str ()) == 0, "cannot connect to " + each);
}

void talker::await_peers (unsigned count)
{
    const bool publishes = type_ == ZLINK_PUB || type_ == ZLINK_XPUB;
    const auto wait = publishes ? zlink_wait_subscribers : zlink_wait_peers;
    in_time (wait (socket_, count, limit_ms ()) == 0, "not so many peers came");
}

void talker::send (const parts &message)
{
    for (std::size_t i = 0; i < message.size (); ++i) {
        const int flags = i + 1 < message.size () ? ZLINK_SNDMORE : 0;
        in_time (zlink_send (socket_, message[i].data (), message[i].size (), flags) >= 0, "could not send");
    }
}

namespace {

// False: the call failed, and errno says why.
bool receive_parts (void *socket, int flags, parts &message)
{
    message.clear ();
    for (bool more = true; more;) {
        zlink_msg_t part;
        zlink_msg_init (&part);
        if (zlink_msg_recv (&part, socket, flags) < 0)
            return false;
        message.emplace_back (static_cast<const char *> (zlink_msg_data (&part)), zlink_msg_size (&part));
        more = zlink_msg_more (&part) != 0;
        zlink_msg_close (&part);
    }
    return true;
}

}  // namespace

parts talker::receive ()
{
    parts message;
    in_time (receive_parts (socket_, 0, message), "nothing came");
    return message;
}

bool talker::receive_now (parts &message)
{
    const bool came = receive_parts (socket_, ZLINK_DONTWAIT, message);
    demand (came || zlink_errno () == EAGAIN, "cannot receive");
    return came;
}

}  // namespace zlink::tool
