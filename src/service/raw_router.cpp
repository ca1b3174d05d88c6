#include "service/raw_router.hpp"

#include <array>
#include <new>
#include <utility>

namespace zlink::service {

using base::errc;
using base::io_count;
using base::result;

namespace {

result<void> start (base::world &world,
                    const char *name,
                    std::function<void ()> body,
                    std::unique_ptr<base::joinable> &started)
{
    base::thread_options named;
    named.name = name;
    auto thread = world.threads.start (named, std::move (body));
    if (!thread.ok ())
        return thread.failure ();
    started = std::move (thread.value ());
    return {};
}

}  // namespace

std::string routing_id_of (std::uint64_t instance)
{
    std::array<std::byte, 8> octets;
    base::store_u64_be (octets.data (), instance);
    return std::string (base::as_text (octets));
}

std::uint64_t instance_of (std::string_view routing_id) noexcept
{
    return routing_id.size () == 8 ? base::load_u64_be (base::as_bytes (routing_id).data ()) : 0;
}

// --- the two sockets ---------------------------------------------------------------

result<void> raw_pair::open (base::world &world, void *context)
{
    std::string place = "inproc://zlink.router.";
    for (std::uint64_t bits = world.dice.next (); bits != 0; bits >>= 4)
        place.push_back ("0123456789abcdef"[bits & 15]);
    for (void **const each : {&outer_, &inner_}) {
        const result<void *> made = socket::open (context, static_cast<int> (socket::socket_type::pair));
        if (!made.ok ())
            return made.failure ();
        *each = made.value ();
    }
    if (const result<void> bound = socket::bind (outer_, place); !bound.ok ())
        return bound;
    return socket::connect (inner_, place);
}

result<void>
raw_pair::begin (base::world &world, void *context, std::function<void ()> read, std::function<void ()> write)
{
    if (const result<void> opened = open (world, context); !opened.ok ())
        return opened;
    // The writer ends with the pair; who reads ends only with what it reads from.
    if (const result<void> writes = start (world, "zlink-write", std::move (write), writer_); !writes.ok ())
        return writes;
    return start (world, "zlink-read", std::move (read), reader_);
}

void raw_pair::stop () noexcept
{
    for (void *const each : {inner_, outer_})  // threads may still look at them
        if (each != nullptr)
            (void)socket::close (each);
    reader_.reset ();
    writer_.reset ();
}

result<held_parts> raw_pair::receive ()
{
    held_parts all;
    for (bool more = true; more;) {
        base::message part;
        part.init ();
        const io_count got = socket::receive (inner_, part, 0);
        if (!got.ok ())
            return got.code ();
        more = part.more ();
        all.take (part);
    }
    return all;
}

io_count raw_pair::send (std::string_view name, std::span<base::message> parts)
{
    held_parts all;
    all.reserve (parts.size () + 1);
    base::message part;
    if (!part.init_copy (base::as_bytes (name)).ok ())
        throw std::bad_alloc ();
    part.set_more (!parts.empty ());
    all.take (part);
    all.share_all (parts);
    return socket::send_parts (inner_, all.all (), 0);
}

// --- a receiver's ------------------------------------------------------------------

result<std::unique_ptr<receiver_router>>
receiver_router::open (base::world &world, void *context, const std::shared_ptr<receiver> &of) noexcept
try {
    auto made = std::make_unique<receiver_router> (world, of);
    const result<void> begun = made->pair_.begin (
      world, context, [by = made.get ()] { by->read (); }, [by = made.get ()] { by->write (); });
    if (!begun.ok ())
        return begun.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void receiver_router::read () noexcept
try {
    for (;;) {
        inquiry what;
        const result<void> got = of_->receive (what, base::never_ns);
        if (!got.ok () && (got.code () == errc::interrupted || got.code () == errc::no_memory))
            continue;
        if (!got.ok ())
            return;
        held_parts body = std::move (what.parts);
        const std::string from (what.from ());
        {
            const holding here (lock_);
            spoken_[from] = what.service;
            if (!what.one_way)
                asked_[from].push_back (std::move (what));
        }
        const io_count sent = pair_.send (from, body.all ());
        if (!sent.ok () && sent.code () != errc::interrupted)
            return;
    }
} catch (const std::bad_alloc &) {
    return;  // nobody reads any more: requests end at their deadlines
}

void receiver_router::write () noexcept
{
    for (;;) {
        try {
            result<held_parts> got = pair_.receive ();
            if (!got.ok () && got.code () != errc::interrupted)
                return;
            if (got.ok () && got.value ().size () > 1) {
                held_parts &all = got.value ();
                answer (base::as_text (all[0].view ()), all.all ().subspan (1));
            }
        } catch (const std::bad_alloc &) {
            continue;  // that one is lost
        }
    }
}

// The oldest request of that gateway, if there is one.
void receiver_router::answer (std::string_view gateway, std::span<base::message> parts)
{
    inquiry what;
    std::string service;
    bool asked = false;
    {
        const holding here (lock_);
        if (const auto found = asked_.find (gateway); found != asked_.end ()) {
            what = std::move (found->second.front ());
            found->second.pop_front ();
            if (found->second.empty ())
                asked_.erase (found);
            asked = true;
        }
        if (const auto known = spoken_.find (gateway); known != spoken_.end ())
            service = known->second;
    }
    if (asked)
        (void)of_->reply (what, parts);
    else if (!service.empty ())
        (void)of_->tell (gateway, service, parts);
}

// --- a gateway's -------------------------------------------------------------------

result<std::unique_ptr<gateway_router>>
gateway_router::open (base::world &world, void *context, const std::shared_ptr<gateway> &of) noexcept
try {
    auto made = std::make_unique<gateway_router> (world, of);
    const result<void> begun = made->pair_.begin (
      world, context, [by = made.get ()] { by->read (); }, [by = made.get ()] { by->write (); });
    if (!begun.ok ())
        return begun.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void gateway_router::read () noexcept
try {
    for (;;) {
        result<gateway::unasked> got = of_->receive (base::never_ns);
        if (!got.ok () && (got.code () == errc::interrupted || got.code () == errc::no_memory))
            continue;
        if (!got.ok ())
            return;
        const std::string from = routing_id_of (got.value ().instance);
        {
            const holding here (lock_);
            spoken_[from] = got.value ().service;
        }
        const io_count sent = pair_.send (from, got.value ().parts.all ());
        if (!sent.ok () && sent.code () != errc::interrupted)
            return;
    }
} catch (const std::bad_alloc &) {
    return;
}

void gateway_router::write () noexcept
{
    for (;;) {
        try {
            result<held_parts> got = pair_.receive ();
            if (!got.ok () && got.code () != errc::interrupted)
                return;
            if (!got.ok () || got.value ().size () < 2)
                continue;
            held_parts &all = got.value ();
            const std::string_view to = base::as_text (all[0].view ());
            std::string service;
            {
                const holding here (lock_);
                if (const auto known = spoken_.find (to); known != spoken_.end ())
                    service = known->second;
            }
            call_options options;
            options.instance = instance_of (to);
            if (!service.empty ())
                (void)of_->send (service, all.all ().subspan (1), options, true);
        } catch (const std::bad_alloc &) {
            continue;  // that one is lost
        }
    }
}

}  // namespace zlink::service
