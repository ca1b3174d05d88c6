#include "tools/zlink/relay.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/relay_words.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/termination.hpp"

namespace zlink::tool {

namespace {

constexpr std::size_t parts_max = 64;
constexpr std::size_t envelope_max = 16;  // with the name of the client and without the empty part

zlink_msg_t part_of (std::string_view text)
{
    zlink_msg_t made;
    if (zlink_msg_init_size (&made, text.size ()) != 0)
        throw stop{exit_failed, "there is no memory"};
    if (!text.empty ())
        std::memcpy (zlink_msg_data (&made), text.data (), text.size ());
    return made;
}

std::string_view text_of (const zlink_msg_t &part)
{
    auto &readable = const_cast<zlink_msg_t &> (part);
    return {static_cast<const char *> (zlink_msg_data (&readable)), zlink_msg_size (&part)};
}

}  // namespace

// What a client has sent, from its name on. Parts are closed in the end.
struct relay::asked
{
    explicit asked (relay &of) noexcept : by (of)
    {
        for (zlink_msg_t &each : parts)
            zlink_msg_init (&each);
    }
    ~asked ()
    {
        for (zlink_msg_t &each : parts)
            zlink_msg_close (&each);
    }
    asked (const asked &) = delete;
    asked &operator= (const asked &) = delete;

    [[nodiscard]] std::span<zlink_msg_t> body ()
    {
        return std::span (parts).subspan (head + 1, count - head - 1);
    }

    relay &by;
    std::array<zlink_msg_t, parts_max> parts;
    std::size_t count = 0;
    std::size_t head = 0;  // where the wish is: behind the empty part
    std::string service;
};

relay::relay (void *context, const relay_settings &wish) : context_ (context), wish_ (wish)
{
    open_gateway ();
    open_clients ();
}

void relay::close () noexcept
{
    // Handlers of what is under way are called, and still find the socket.
    if (gateway_ != nullptr)
        zlink_gateway_destroy (&gateway_);
    if (discovery_ != nullptr)
        zlink_discovery_destroy (&discovery_);
    if (clients_ != nullptr)
        zlink_close (std::exchange (clients_, nullptr));
}

void relay::open_gateway ()
{
    if (!wish_.registries.empty ()) {
        discovery_ = zlink_discovery_new_typed (context_, ZLINK_SERVICE_GATEWAY);
        talker::demand (discovery_ != nullptr, "cannot look for services");
        for (const std::string &each : wish_.registries)
            talker::demand (zlink_discovery_connect_registry (discovery_, each.c_str ()) == 0,
                            "cannot connect to the registry " + each);
    }
    gateway_ = zlink_gateway_new (context_, discovery_, nullptr);
    talker::demand (gateway_ != nullptr, "cannot make a gateway");
    for (const option_value &each : wish_.provider_options)
        talker::demand (
          zlink_gateway_setsockopt (gateway_, each.number, each.bytes.data (), each.bytes.size ()) == 0,
          "cannot set " + each.name);
    for (const auto &[service, places] : wish_.services) {
        std::vector<const char *> texts;
        for (const std::string &each : places)
            texts.push_back (each.c_str ());
        talker::demand (
          zlink_gateway_set_providers (gateway_, service.c_str (), texts.data (), nullptr, texts.size ())
            == 0,
          "cannot use the providers of " + service);
    }
}

void relay::open_clients ()
{
    clients_ = zlink_socket (context_, ZLINK_ROUTER);
    talker::demand (clients_ != nullptr, "cannot make a socket");
    for (const option_value &each : wish_.clients.options)
        talker::demand (zlink_setsockopt (clients_, each.number, each.bytes.data (), each.bytes.size ()) == 0,
                        "cannot set " + each.name);
    for (const std::string &each : wish_.clients.binds) {
        talker::demand (zlink_bind (clients_, each.c_str ()) == 0, "cannot bind to " + each);
        char where[1024] = "";
        std::size_t size = sizeof where;
        talker::demand (zlink_getsockopt (clients_, ZLINK_LAST_ENDPOINT, where, &size) == 0,
                        "cannot tell where " + each + " is");
        bound_.emplace_back (where);
        fmt::print (stderr, "zlink gateway: clients at {}\n", where);
    }
    for (const std::string &each : wish_.clients.connects)
        talker::demand (zlink_connect (clients_, each.c_str ()) == 0, "cannot connect to " + each);
    std::fflush (stderr);
}

// --- what clients ask --------------------------------------------------------------

void relay::run (const termination &ending)
{
    while (!ending.is_asked_for ()) {
        zlink_pollitem_t item{clients_, -1, ZLINK_POLLIN, 0};
        const int ready = zlink_ppoll (&item, 1, -1, &ending.open_mask ());
        talker::demand (ready >= 0 || zlink_errno () == EINTR, "cannot wait");
        for (unsigned i = 0; ready > 0 && i < 64; ++i) {  // then signals are looked at again
            const std::uint64_t before = requests_ + one_way_ + dropped_;
            take ();
            if (before == requests_ + one_way_ + dropped_)
                break;
        }
    }
    for (const std::string &each : bound_)
        (void)zlink_unbind (clients_, each.c_str ());
    std::unique_lock here (lock_);
    (void)all_ended_.wait_for (here, std::chrono::milliseconds (wish_.patience_ms),
                               [this] { return under_way_ == 0; });
}

void relay::ended () noexcept
{
    const std::lock_guard here (lock_);
    if (--under_way_ == 0)
        all_ended_.notify_all ();
}

// The next message, if there is one.
void relay::take ()
{
    auto from = std::make_unique<asked> (*this);
    from->count = parts_max;
    if (zlink_recvv (clients_, from->parts.data (), &from->count, ZLINK_DONTWAIT) < 0) {
        if (zlink_errno () != EMSGSIZE)
            return;
        zlink_msg_t part;  // more parts than may be: nobody can tell what they are
        zlink_msg_init (&part);
        while (zlink_msg_recv (&part, clients_, ZLINK_DONTWAIT) >= 0 && zlink_msg_more (&part) != 0) {}
        zlink_msg_close (&part);
        ++dropped_;
        return;
    }
    std::size_t empty = 1;
    while (empty < from->count && zlink_msg_size (&from->parts[empty]) != 0)
        ++empty;
    if (empty > envelope_max || empty + 1 >= from->count) {
        ++dropped_;
        return;
    }
    from->head = empty + 1;
    const std::string wish (text_of (from->parts[from->head]));
    if (ask (*from, wish))
        (void)from.release ();
}

bool relay::ask (asked &from, std::string_view wish)
{
    relay_wish how;
    std::string why;
    if (!read_relay_wish (wish, how, why)) {
        ++requests_;
        refuse (from, relay_malformed_line (), why);
        return false;
    }
    if (how.one_way) {
        send_one_way (from, how.service.c_str ());
        return false;
    }
    zlink_request_options_t options{};
    options.size = sizeof options;
    options.timeout_ms = how.timeout_ms < 0 ? wish_.timeout_ms : how.timeout_ms;
    options.idempotent = how.idempotent;
    options.key = how.key.data ();
    options.key_size = static_cast<std::uint32_t> (how.key.size ());
    options.traceparent = how.traceparent.empty () ? nullptr : how.traceparent.c_str ();
    options.tracestate = how.tracestate.empty () ? nullptr : how.tracestate.c_str ();
    ++requests_;
    from.service = how.service;
    {
        const std::lock_guard here (lock_);
        ++under_way_;
    }
    const std::span<zlink_msg_t> body = from.body ();
    if (zlink_gateway_request_async (gateway_, how.service.c_str (), body.data (), body.size (), &options,
                                     take_reply, &from, nullptr)
        == 0)
        return true;
    const int number = zlink_errno ();
    ended ();
    if (number == EINVAL)
        refuse (from, relay_malformed_line (), "no service is called so");
    else
        refuse (from,
                relay_line ({.status = number == EAGAIN   ? ZLINK_REQUEST_OVERLOADED
                                       : number == ENOMEM ? ZLINK_REQUEST_NO_MEMORY
                                                          : ZLINK_REQUEST_TERMINATED}),
                zlink_strerror (number));
    return false;
}

// On the gateway's thread. Without memory nothing is told.
void relay::take_reply (std::uint64_t, zlink_reply_t *reply, void *hint) noexcept
{
    const std::unique_ptr<asked> to (static_cast<asked *> (hint));
    relay &self = to->by;
    try {
        if (reply->status == ZLINK_REQUEST_REPLIED)
            self.answer (*to, relay_good, {reply->parts, reply->count});
        else
            self.refuse (*to,
                         relay_line ({reply->status, reply->maybe_done != 0, reply->code, reply->detail,
                                      reply->retry_after_ms}),
                         reply->text);
    } catch (const std::exception &) {
        ++self.dropped_;
    } catch (const stop &) {
        ++self.dropped_;
    }
    self.ended ();
}

void relay::send_one_way (asked &from, const char *service)
{
    std::span<zlink_msg_t> body = from.body ();
    zlink_msg_t nothing;
    zlink_msg_init (&nothing);
    if (body.empty ())
        body = {&nothing, 1};
    if (zlink_gateway_send (gateway_, service, body.data (), body.size (), ZLINK_DONTWAIT) == 0) {
        ++one_way_;
    } else {
        ++dropped_;
        note_failure (service, "a one-way could not be sent");
    }
    zlink_msg_close (&nothing);
}

// --- what they are told ------------------------------------------------------------

void relay::answer (const asked &to, std::string_view status, std::span<zlink_msg_t> body)
{
    std::vector<zlink_msg_t> all (to.head + 1 + body.size ());
    for (zlink_msg_t &each : all)
        zlink_msg_init (&each);
    for (std::size_t i = 0; i < to.head; ++i)
        zlink_msg_copy (&all[i], const_cast<zlink_msg_t *> (&to.parts[i]));
    all[to.head] = part_of (status);
    for (std::size_t i = 0; i < body.size (); ++i)
        zlink_msg_move (&all[to.head + 1 + i], &body[i]);
    // Who has gone or has no room gets nothing.
    (void)zlink_sendv (clients_, all.data (), all.size (), ZLINK_DONTWAIT);
    for (zlink_msg_t &each : all)
        zlink_msg_close (&each);
}

void relay::refuse (const asked &to, std::string_view status, std::string_view text)
{
    ++failed_;
    note_failure (to.service, status);
    zlink_msg_t part = part_of (text);
    answer (to, status, {&part, 1});
    zlink_msg_close (&part);
}

void relay::note_failure (const std::string &service, std::string_view status)
{
    if (wish_.says_failures)
        fmt::print (stderr, "zlink gateway: {}: {}\n", service.empty () ? "-" : service, status);
}

std::string relay::summary () const
{
    return fmt::format ("{} requests, {} failed, {} one-way, {} dropped", requests_.load (), failed_.load (),
                        one_way_.load (), dropped_.load ());
}

}  // namespace zlink::tool
