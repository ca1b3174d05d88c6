#include "service/statistics_server.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "service/limits.hpp"
#include "service/next_part.hpp"
#include "service/option_numbers.hpp"
#include "service/statistics_text.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

constexpr unsigned messages_per_turn = 64;

constexpr std::string_view directory = "/metrics     the counters, for Prometheus\n"
                                       "/statistics  the same as JSON\n";

// A socket that the services have for themselves.
bool is_the_loops (const std::vector<socket::count_row> &rows) noexcept
{
    return std::any_of (rows.begin (), rows.end (),
                        [] (const auto &row) { return row.address.starts_with (loop_place); });
}

std::string_view path_of (std::string_view target) noexcept { return target.substr (0, target.find ('?')); }

}  // namespace

// --- its life ---------------------------------------------------------------------

statistics_server::statistics_server (base::world &world,
                                      void *context,
                                      std::shared_ptr<counted_list> services) noexcept
  : world_ (world), context_ (context), services_ (std::move (services))
{
    name_.init ();
    body_.init ();
}

statistics_server::~statistics_server ()
{
    name_.close ();
    body_.close ();
    if (socket_ != nullptr)
        (void)socket::close (socket_);
}

result<std::shared_ptr<statistics_server>>
statistics_server::open (base::world &world,
                         void *context,
                         const std::shared_ptr<service_loop> &loop,
                         std::string_view endpoint,
                         std::shared_ptr<counted_list> services) noexcept
try {
    auto made = std::make_shared<statistics_server> (world, context, std::move (services));
    if (const result<void> ready = made->set_up (endpoint); !ready)
        return ready.failure ();
    if (const result<void> joined = loop->join (made, made->seat_); !joined)
        return joined.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> statistics_server::set_up (std::string_view endpoint)
{
    const result<void *> opened = socket::open (context_, static_cast<int> (socket::socket_type::stream));
    if (!opened)
        return opened.failure ();
    socket_ = opened.value ();
    const std::array<std::pair<int, int>, 3> wanted{{{number_of_stream_raw, 1},
                                                     {number_of_stream_notify, 1},
                                                     {socket::number_of_linger, reader_linger_ms}}};
    for (const auto &[number, value] : wanted)
        if (const result<void> set = socket::set_option (socket_, number, &value, sizeof value); !set)
            return set;
    if (const result<void> bound = socket::bind (socket_, endpoint); !bound)
        return bound;
    std::array<char, 512> text{};
    std::size_t size = text.size ();
    const result<void> told = socket::get_option (socket_, number_of_last_endpoint, text.data (), &size);
    endpoint_ = text.data ();
    return told;
}

void statistics_server::close () noexcept
{
    seat_->leave ();
    if (socket_ != nullptr)
        (void)socket::close (std::exchange (socket_, nullptr));
}

// --- the loop's -------------------------------------------------------------------

void statistics_server::sockets (std::vector<socket::poll_item> &wanted)
{
    wanted.push_back ({socket_, base::no_handle, socket::event_in, 0});
}

loop_wish statistics_server::advance (base::time_ns now)
{
    loop_wish wish;
    unsigned left = messages_per_turn;
    while (left > 0 && read_one (now))
        --left;
    wish.due_ns = left == 0 ? now : give_up (now);
    return wish;
}

// False: there is nothing.
bool statistics_server::read_one (base::time_ns now)
{
    if (!take_next_part (socket_, name_))
        return false;
    if (name_.more () && take_next_part (socket_, body_))
        take (now, base::as_text (name_.view ()));
    return true;
}

void statistics_server::take (base::time_ns now, std::string_view name)
{
    const auto known = readers_.find (name);
    if (body_.event () == base::message_event::disconnected) {
        if (known != readers_.end ())
            readers_.erase (known);
        return;
    }
    if (known == readers_.end ()) {
        if (readers_.size () >= readers_max)
            (void)send (name, {});
        else
            readers_.try_emplace (std::string (name)).first->second.until = now + reader_asks_ns;
        return;
    }
    reader &from = known->second;
    std::size_t used = 0;
    if (!from.heard && from.asks.feed (body_.view (), used) != wire::http_head_status::need_more)
        answer (now, *known);
}

// When to look again.
base::time_ns statistics_server::give_up (base::time_ns now) noexcept
{
    base::time_ns next = base::never_ns;
    for (auto each = readers_.begin (); each != readers_.end ();) {
        const bool over = each->second.until <= now;
        if (over && each->second.released) {
            each = readers_.erase (each);
            continue;
        }
        if (over)
            part_with (now, *each);
        next = std::min (next, each->second.until);
        ++each;
    }
    return next;
}

// --- what goes --------------------------------------------------------------------

void statistics_server::answer (base::time_ns now, reader_map::value_type &whom) noexcept
{
    try {
        tell (whom.first, whom.second.asks, page_for (whom.second.asks, now));
    } catch (const std::bad_alloc &) {
        // It goes without one.
    }
    part_with (now, whom);
}

void statistics_server::tell (std::string_view name, const wire::http_head &asked, const page &what)
{
    std::string octets = "HTTP/1.1 ";
    octets.append (what.status).append ("\r\nContent-Type: ").append (what.type);
    octets.append ("\r\nContent-Length: ").append (std::to_string (what.body.size ()));
    octets += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    if (asked.method () != "HEAD")
        octets += what.body;
    (void)send (name, octets);
}

statistics_server::page statistics_server::page_for (const wire::http_head &asked, base::time_ns now)
{
    if (asked.flaw () != wire::http_flaw::none)
        return {.status = asked.flaw () == wire::http_flaw::malformed ? "400 Bad Request"
                                                                      : "431 Request Header Fields Too Large",
                .body = "That is no request.\n"};
    if (asked.method () != "GET" && asked.method () != "HEAD")
        return {.status = "405 Method Not Allowed\r\nAllow: GET, HEAD",
                .body = "There is only GET and HEAD.\n"};
    const std::string_view path = path_of (asked.target ());
    if (path == "/metrics" || path == "/statistics")
        return statistics_page (path == "/statistics", now);
    if (path == "/")
        return {.body = std::string (directory)};
    return {.status = "404 Not Found", .body = std::string (directory)};
}

statistics_server::page statistics_server::statistics_page (bool as_json, base::time_ns now)
{
    const result<std::vector<socket::socket_rows>> found = socket::context_count_rows (context_);
    if (!found)
        return {.status = "503 Service Unavailable", .body = "They cannot be read now.\n"};
    std::map<socket::socket_key, std::uint64_t> numbers;
    std::vector<numbered_rows> all;
    for (const socket::socket_rows &each : found.value ()) {
        if (each.whose == socket::key_of (socket_) || is_the_loops (each.rows))
            continue;
        const std::uint64_t number = numbers.emplace (each.whose, number_of (each.whose)).first->second;
        all.push_back ({number, each.rows});
    }
    numbers_.swap (numbers);
    std::sort (all.begin (), all.end (),
               [] (const numbered_rows &a, const numbered_rows &b) { return a.number < b.number; });
    page made;
    made.type = as_json ? "application/json" : "text/plain; version=0.0.4; charset=utf-8";
    const std::vector<counted_rows> services = services_->rows ();
    if (as_json) {
        append_json (all, services, now, made.body);
    } else {
        append_prometheus (all, made.body);
        append_prometheus (services, made.body);
    }
    return made;
}

std::uint64_t statistics_server::number_of (socket::socket_key whose)
{
    const auto known = numbers_.find (whose);
    return known != numbers_.end () ? known->second : ++numbers_given_;
}

// It is remembered until nothing of it is left, so that those count who take no answer.
void statistics_server::part_with (base::time_ns now, reader_map::value_type &whom) noexcept
{
    whom.second.heard = true;
    whom.second.released = send (whom.first, {});
    whom.second.until = now + (whom.second.released ? reader_leaves_ns : wanting_pause_ns);
}

// False: for want of memory. Who cannot be told any more is gone.
bool statistics_server::send (std::string_view to, std::string_view octets) noexcept
{
    std::array<base::message, 2> parts;
    for (base::message &each : parts)
        each.init ();
    errc bad = errc::no_memory;
    if (parts[0].init_copy (base::as_bytes (to)).ok ()
        && parts[1].init_copy (base::as_bytes (octets)).ok ()) {
        parts[0].set_more (true);
        bad = socket::send_parts (socket_, parts, socket::io_dont_wait).code ();
    }
    for (base::message &each : parts)
        each.close ();
    return bad != errc::no_memory;
}

}  // namespace zlink::service
