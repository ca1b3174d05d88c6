#include "service/receiver.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "service/gateway_names.hpp"
#include "service/option_numbers.hpp"

namespace zlink::service {

using base::errc;
using base::io_count;
using base::result;
using base::time_ns;

namespace {

constexpr std::size_t endpoint_bytes_max = 1024;
constexpr std::size_t parts_at_once = 8;  // more need memory
constexpr std::size_t parts_of_read = 3;
constexpr std::string_view health_service = "zlink.health";
// Few, so that their memory, which is used again and again, stays near.
constexpr std::size_t messages_read_ahead = 24;
// Answers that took longer do not wait for those behind them.
constexpr time_ns prompt_ns = 20 * base::ns_per_us;

// Why a receive of the socket has none.
errc why_none (errc why) noexcept
{
    return why == errc::would_block ? errc::timed_out : why == errc::not_a_socket ? errc::terminated : why;
}

// The parts of what was read, closed in the end.
class read_parts
{
  public:
    read_parts () noexcept
    {
        for (base::message &each : few_)
            each.init ();
    }
    ~read_parts ()
    {
        for (base::message &each : all ())
            each.close ();
    }
    read_parts (const read_parts &) = delete;
    read_parts &operator= (const read_parts &) = delete;

    [[nodiscard]] std::span<base::message> all () noexcept
    {
        return many_.empty () ? std::span<base::message> (few_) : std::span<base::message> (many_);
    }
    void grow (std::size_t count)
    {
        many_.resize (count);
        for (base::message &each : many_)
            each.init ();
    }

  private:
    std::array<base::message, parts_at_once> few_;
    std::vector<base::message> many_;
};

// A message that was taken over, closed in the end; its name and head may be others', too.
struct taken_parts
{
    taken_parts (base::message &name, base::message &head, base::message &body) noexcept
    {
        all[0].init ();
        all[0].copy_from (name);
        all[1].init ();
        all[1].copy_from (head);
        all[2] = body;
        body.init ();
    }
    ~taken_parts ()
    {
        for (base::message &each : all)
            each.close ();
    }
    taken_parts (const taken_parts &) = delete;
    taken_parts &operator= (const taken_parts &) = delete;

    std::array<base::message, parts_of_read> all;
};

// Most texts are what they were, and most of them empty. May throw bad_alloc.
void set (std::string &to, std::string_view text)
{
    if (to != text)
        to = text;
}

time_ns deadline_of (time_ns came, std::uint64_t time_us) noexcept
{
    constexpr auto longest = static_cast<std::uint64_t> (base::never_ns / base::ns_per_us / 2);
    const bool any = time_us != 0 && time_us < longest;
    return any ? came + static_cast<time_ns> (time_us) * base::ns_per_us : base::never_ns;
}

bool untouched (std::uint16_t code) noexcept
{
    return code != wire::failure_rejected && code != wire::failure_handler && code != wire::failure_cancelled;
}

}  // namespace

// --- beginning and end -------------------------------------------------------------

receiver::receiver (base::world &world, const receiver_settings &settings)
  : world_ (world), settings_ (settings), lock_ (world.sleep, settings.lock_word), change_ (world.sleep),
    read_ (messages_read_ahead), last_number_ (world.dice.next ())
{
    for (base::headed_message &each : read_)
        each.init ();
    while (settings_.instance == 0)
        settings_.instance = world.dice.next ();
}

result<std::shared_ptr<receiver>>
receiver::open (base::world &world, void *context, const receiver_settings &settings)
try {
    std::shared_ptr<receiver> made (new receiver (world, settings));
    if (const result<void> opened = made->open_socket (context); !opened.ok ())
        return opened.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> receiver::open_socket (void *context)
{
    const result<void *> made = socket::open (context, static_cast<int> (socket::socket_type::router));
    if (!made.ok ())
        return made.failure ();
    socket_ = made.value ();
    const std::pair<int, int> numbers[] = {
      {number_of_router_mandatory, 1},
      {number_of_router_handover, 1},
      {number_of_router_notify, notify_comers_and_goers},
      {socket::number_of_send_hwm, settings_.hwm},
      {socket::number_of_receive_hwm, settings_.hwm},
    };
    for (const auto &[option, value] : numbers)
        if (const result<void> set = socket::set_option (socket_, option, &value, sizeof value); !set.ok ())
            return set;
    if (settings_.routing_id.empty ())
        return {};
    return socket::set_option (socket_, number_of_routing_id, settings_.routing_id.data (),
                               settings_.routing_id.size ());
}

receiver::~receiver ()
{
    close ();
    for (base::headed_message &each : read_)
        each.close ();
}

void receiver::close () noexcept
{
    lock_.lock ();
    const bool first = !std::exchange (closed_, true);
    lock_.unlock ();
    change_.ring ();
    if (first && socket_ != nullptr)
        (void)socket::close (socket_);
    for (;;) {
        const std::uint32_t heard = change_.heard ();
        lock_.lock ();
        const bool alone = users_ == 0;
        lock_.unlock ();
        if (alone)
            return;
        (void)change_.wait (heard, base::never_ns);
    }
}

bool receiver::enter_call () noexcept
{
    const holding here (lock_);
    users_ += !closed_;
    return !closed_;
}

void receiver::leave_call (unsigned readers) noexcept
{
    lock_.lock ();
    --users_;
    readers_ -= readers;
    // Whoever answers knows by it whether more are to be answered.
    if (readers != 0)
        (void)read_ahead_locked ();
    const bool told = closed_;
    lock_.unlock ();
    if (told)
        change_.ring ();
}

// --- what is provided --------------------------------------------------------------

result<std::string> receiver::bind (std::string_view endpoint)
{
    if (const result<void> bound = socket::bind (socket_, endpoint); !bound.ok ())
        return bound.failure ();
    std::array<char, endpoint_bytes_max> text;
    std::size_t size = text.size ();
    const result<void> told = socket::get_option (socket_, number_of_last_endpoint, text.data (), &size);
    if (!told.ok ())
        return told.failure ();
    return std::string (text.data ());
}

result<void> receiver::register_by (std::shared_ptr<registrar> whom) noexcept
{
    {
        const holding here (lock_);
        if (registers_ != nullptr)
            return errc::wrong_state;
        registers_ = whom;
        settings_.instance = whom->instance ();
        forget_last_locked ();
    }
    const result<void> told = offer_all (*whom);
    if (!told.ok ()) {
        const holding here (lock_);
        registers_.reset ();  // another may be given
    }
    return told;
}

// What is registered already is told, too.
result<void> receiver::offer_all (registrar &whom) noexcept
try {
    std::map<std::string, offered, std::less<>> offers;
    {
        const holding here (lock_);
        offers = offers_;
    }
    for (const auto &[service, each] : offers)
        if (!each.endpoint.empty ())
            if (const result<void> offer = whom.offer (service, each.endpoint, each.weight); !offer.ok ())
                return offer;
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

std::shared_ptr<registrar> receiver::who_registers () noexcept
{
    const holding here (lock_);
    return registers_;
}

std::uint64_t receiver::instance () noexcept
{
    const holding here (lock_);
    return settings_.instance;
}

result<void> receiver::offer (std::string_view service, std::string_view endpoint, std::uint32_t weight)
try {
    if (!is_service_name (service))
        return errc::invalid_argument;
    {
        const holding here (lock_);
        forget_last_locked ();
        offers_[std::string (service)] = {std::string (endpoint), weight};
    }
    const std::shared_ptr<registrar> whom = who_registers ();
    return whom == nullptr || endpoint.empty () ? result<void> () : whom->offer (service, endpoint, weight);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

bool receiver::withdraw (std::string_view service)
{
    std::string endpoint;
    {
        const holding here (lock_);
        const auto found = offers_.find (service);
        if (found == offers_.end ())
            return false;
        endpoint = std::move (found->second.endpoint);
        offers_.erase (found);
        forget_last_locked ();
    }
    if (const std::shared_ptr<registrar> whom = who_registers (); whom != nullptr && !endpoint.empty ())
        whom->withdraw (service, endpoint);
    return true;
}

// --- receiving ---------------------------------------------------------------------

result<void> receiver::receive (inquiry &to, time_ns deadline) noexcept
try {
    lock_.lock ();
    if (receive_read_locked (to)) [[likely]]
        return {};
    const bool over = closed_;
    const bool alone = readers_ == 0;
    users_ += !over;
    readers_ += !over;
    lock_.unlock ();
    if (over)
        return errc::terminated;
    struct leaver
    {
        receiver &of;
        ~leaver () { of.leave_call (1); }
    } leaves{*this};
    if (alone)
        if (const errc got = receive_alone (to, deadline); got != errc::in_progress) [[likely]]
            return got == errc::ok ? result<void> () : why_none (got);
    return receive_waiting (to, deadline);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Into what is read ahead, which nobody else touches while this one waits. in_progress: what
// came, or is there, is to be received otherwise.
errc receiver::receive_alone (inquiry &to, time_ns deadline)
{
    const io_count got = socket::receive_headed (socket_, std::span (read_).first (1), deadline);
    if (!got.ok ())
        return got.code ();
    lock_.lock ();
    read_at_ = 0;
    read_end_ = 1;
    read_ns_ = 0;
    return take_read_locked (to) ? errc::ok : errc::in_progress;
}

// One message after the other until one is the application's.
result<void> receiver::receive_waiting (inquiry &to, time_ns deadline)
{
    read_parts got;
    for (;;) {
        std::size_t needed = 0;
        io_count count = socket::receive_parts_until (socket_, got.all (), &needed, deadline);
        if (!count.ok () && count.code () == errc::message_too_long) {
            got.grow (needed);
            continue;
        }
        if (!count.ok ())
            return why_none (count.code ());
        to.came_ns = 0;
        if (take_or_part (got.all ().first (count.size ()), to))
            return {};
    }
}

// Those who wait at the socket hear of nothing that stands here, so that nothing is
// taken ahead while they do. False: nothing is here.
bool receiver::read_ahead_locked () noexcept
{
    if (readers_ != 0 || closed_)
        return false;
    if (read_at_ != read_end_) [[likely]]
        return true;
    const io_count more = socket::receive_headed (socket_, read_);
    read_at_ = 0;
    read_end_ = more.ok () ? more.size () : 0;
    read_ns_ = 0;
    return more.ok ();
}

bool receiver::receive_quick_locked (inquiry &to) noexcept
{
    return read_ahead_locked () && take_like_last_locked (to);
}

bool receiver::receive_read_locked (inquiry &to)
{
    while (read_ahead_locked ()) {
        if (take_read_locked (to))
            return true;
        lock_.lock ();
    }
    return false;
}

bool receiver::take_read_locked (inquiry &to)
{
    if (take_like_last_locked (to)) {
        lock_.unlock ();
        return true;
    }
    to.came_ns = when_read_locked ();
    taken_parts got (read_[name_at_].name, read_[head_at_].parts[0], read_[read_at_].parts[1]);
    ++read_at_;
    lock_.unlock ();
    return take_or_part (got.all, to);
}

// What it brings changes places with what there was, whose memory is read into next.
bool receiver::take_like_last_locked (inquiry &to) noexcept
{
    base::headed_message &next = read_[read_at_];
    if (!next.name_again) [[unlikely]]
        name_at_ = read_at_;
    if (!next.head_again) [[unlikely]]
        head_at_ = read_at_;
    like_before_ = (like_before_ && next.name_again && next.head_again) || is_like_last_locked ();
    if (!like_before_) [[unlikely]]
        return false;
    // Somebody may have taken its texts away.
    const bool said = to.alike == last_number_ && to.gateway.size () == last_gateway_.size ()
                      && to.service.size () == last_service_.size ();
    if (!said && !say_last_locked (to)) [[unlikely]]
        return false;
    if (!last_one_way_ && !enter_like_last_locked (to)) [[unlikely]]
        return false;
    ++read_at_;
    counters_.one_way += last_one_way_;
    to.parts.take_alone (next.parts[1]);
    return true;
}

// Of a request, what the last one did not say. False: it is to be taken as others are.
bool receiver::enter_like_last_locked (inquiry &to) noexcept
{
    if (draining_ || under_way_ >= settings_.requests_max || free_ == no_place
        || places_[free_].from.capacity () < last_gateway_.size ()) [[unlikely]]
        return false;
    const wire::gateway_numbers numbers = wire::numbers_of_gateway_head (read_[head_at_].parts[0].view ());
    if (numbers.id == 0) [[unlikely]]
        return false;
    to.id = numbers.id;
    to.attempt = numbers.attempt;
    to.came_ns = when_read_locked ();
    to.deadline_ns = deadline_of (to.came_ns, numbers.time_us);
    enter_locked (last_gateway_, to);
    ++counters_.requests;
    return true;
}

// When somebody first looked at what stands here.
time_ns receiver::when_read_locked () noexcept
{
    if (read_ns_ == 0)
        read_ns_ = world_.time.now_ns ();
    return read_ns_;
}

// Streams of messages have one head, but for their numbers. False also where it would
// take memory.
bool receiver::is_like_last_locked () noexcept
{
    const base::bytes_view head = read_[head_at_].parts[0].view ();
    if (last_head_.empty () || !wire::are_gateway_heads_alike (last_head_, head))
        return false;
    const std::string_view from = base::as_text (read_[name_at_].name.view ());
    if (from == last_gateway_)
        return true;
    if (from.size () > last_gateway_.capacity ())
        return false;
    last_gateway_ = from;
    ++last_number_;
    return true;
}

// False: it would take memory.
bool receiver::say_last_locked (inquiry &to) const noexcept
{
    if (last_gateway_.size () > to.gateway.capacity () || last_service_.size () > to.service.capacity ())
        return false;
    to.alike = last_number_;
    to.gateway = last_gateway_;
    to.service = last_service_;
    to.one_way = last_one_way_;
    to.idempotent = last_idempotent_;
    to.deadline_ns = base::never_ns;
    to.key.clear ();
    to.traceparent.clear ();
    to.tracestate.clear ();
    to.id = 0;
    to.attempt = 0;
    to.came_ns = 0;
    return true;
}

// Without memory the next one is looked at again.
void receiver::note_last_locked (const base::message &head, const inquiry &of) noexcept
try {
    if (!of.key.empty () || !of.traceparent.empty ())
        return;
    if (!last_head_.empty () && last_gateway_ == of.gateway
        && wire::are_gateway_heads_alike (last_head_, head.view ()))
        return;
    forget_last_locked ();
    last_one_way_ = of.one_way;
    last_idempotent_ = of.idempotent;
    last_service_ = of.service;
    last_gateway_ = of.gateway;
    ++last_number_;
    last_head_.assign (head.view ().begin (), head.view ().end ());
} catch (const std::bad_alloc &) {
    forget_last_locked ();
}

void receiver::forget_last_locked () noexcept
{
    last_head_.clear ();
    like_before_ = false;
}

// Without memory nothing can be answered. A gateway that has lost its connection tries
// again, or says that the request is lost; one that heard nothing would wait.
bool receiver::take_or_part (std::span<base::message> got, inquiry &to)
try {
    return take (got, to);
} catch (const std::bad_alloc &) {
    (void)socket::disconnect_peer (socket_, got[0].view ());
    throw;
}

bool receiver::take (std::span<base::message> got, inquiry &to)
{
    if (got.size () < 2)
        return false;
    if (got[1].event () != base::message_event::data) {
        take_event (got);
        return false;
    }
    const std::string_view from = base::as_text (got[0].view ());
    wire::gateway_head head;
    if (wire::decode_gateway_head (got[1].view (), head) == wire::service_status::complete)
        switch (head.kind) {
        case wire::gateway_kind::request:
            if (head.id == 0)  // no gateway draws it: it is who waits for no answer
                break;
            [[fallthrough]];
        case wire::gateway_kind::one_way:
            if (head.service != health_service) [[likely]]
                return take_request (got, head, to);
            answer_health (got, head);
            return false;
        case wire::gateway_kind::cancel:
            take_cancel (from, head);
            return false;
        case wire::gateway_kind::probe: {
            wire::gateway_head alive;
            alive.kind = wire::gateway_kind::alive;
            alive.id = head.id;
            lock_.lock ();
            alive.instance = settings_.instance;
            alive.load = static_cast<std::uint32_t> (under_way_);
            alive.flags = draining_ ? wire::gateway_flag_draining : 0;
            lock_.unlock ();
            (void)say (from, alive, {});
            return false;
        }
        default:
            break;
        }
    {
        const holding here (lock_);
        ++counters_.malformed;
    }
    (void)socket::disconnect_peer (socket_, got[0].view ());
    return false;
}

void receiver::take_event (std::span<base::message> got)
{
    const std::string_view name = base::as_text (got[0].view ());
    const holding here (lock_);
    if (got[1].event () == base::message_event::connected)
        gateways_.emplace (name);
    else if (const auto found = gateways_.find (name); found != gateways_.end ())
        gateways_.erase (found);
}

// 0: it is taken.
std::uint16_t receiver::admit_locked (const wire::gateway_head &head) const noexcept
{
    if (draining_)
        return wire::failure_draining;
    if (head.instance != 0 && head.instance != settings_.instance)
        return wire::failure_instance;
    if (offers_.find (head.service) == offers_.end ())
        return wire::failure_no_service;
    return under_way_ >= settings_.requests_max ? wire::failure_overloaded : 0;
}

// Of a service, or, empty, of them all.
std::string_view receiver::health_locked (std::string_view service) const noexcept
{
    constexpr auto serves = [] (const auto &offer) { return offer.second.weight != 0; };
    if (draining_)
        return "draining";
    if (service.empty ())
        return std::any_of (offers_.begin (), offers_.end (), serves) ? "serving" : "not-serving";
    const auto found = offers_.find (service);
    if (found == offers_.end ())
        return "unknown";
    return serves (*found) ? "serving" : "not-serving";
}

void receiver::answer_health (std::span<base::message> got, const wire::gateway_head &head)
{
    if (head.kind != wire::gateway_kind::request)
        return;
    wire::gateway_head answer;
    answer.kind = wire::gateway_kind::reply;
    answer.attempt = head.attempt;
    answer.id = head.id;
    std::string_view state;
    {
        const holding here (lock_);
        state = health_locked (got.size () > 2 ? base::as_text (got[2].view ()) : std::string_view ());
        answer.load = static_cast<std::uint32_t> (under_way_);
        answer.flags = draining_ ? wire::gateway_flag_draining : 0;
    }
    held_parts said;
    base::message part;
    if (!part.init_copy (base::as_bytes (state)).ok ())
        throw std::bad_alloc ();
    said.take (part);
    if (say (base::as_text (got[0].view ()), answer, said.all ()).code () == errc::no_memory)
        throw std::bad_alloc ();
}

// When it came, which may be known, and how long somebody waits.
void receiver::note_time (const wire::gateway_head &head, inquiry &to) const noexcept
{
    to.deadline_ns = base::never_ns;
    if (to.one_way) {
        to.came_ns = 0;
        return;
    }
    if (to.came_ns == 0)
        to.came_ns = world_.time.now_ns ();
    to.deadline_ns = deadline_of (to.came_ns, head.time_us);
}

bool receiver::take_request (std::span<base::message> got, const wire::gateway_head &head, inquiry &to)
{
    to.alike = 0;
    set (to.gateway, base::as_text (got[0].view ()));
    to.parts.clear ();
    set (to.service, head.service);
    to.one_way = head.kind == wire::gateway_kind::one_way;
    to.idempotent = (head.flags & wire::gateway_flag_idempotent) != 0;
    set (to.key, head.key);
    set (to.traceparent, head.traceparent);
    set (to.tracestate, head.tracestate);
    to.id = head.id;
    to.attempt = head.attempt;
    note_time (head, to);
    to.parts.reserve (got.size () - 2);
    std::uint16_t why = 0;
    {
        const holding here (lock_);
        why = admit_locked (head);
        if (why == 0 && !to.one_way)
            enter_locked (to.from (), to);
        counters_.one_way += why == 0 && to.one_way;
        counters_.requests += why == 0 && !to.one_way;
        counters_.refused += why != 0;
        if (why == 0)
            note_last_locked (got[1], to);
    }
    if (why == 0) {
        to.parts.take_all (got.subspan (2));
        return true;
    }
    if (!to.one_way) {
        wire::gateway_head answer;
        answer.kind = wire::gateway_kind::failure;
        answer.flags =
          wire::gateway_flag_untouched | (why == wire::failure_draining ? wire::gateway_flag_draining : 0);
        answer.attempt = head.attempt;
        answer.code = why;
        answer.id = head.id;
        if (say (to.from (), answer, {}).code () == errc::no_memory)
            throw std::bad_alloc ();
    }
    return false;
}

void receiver::enter_locked (std::string_view from, inquiry &to)
{
    if (free_ == no_place) {
        places_.emplace_back ().next = no_place;
        free_ = static_cast<std::uint32_t> (places_.size () - 1);
    }
    place &mine = places_[free_];
    mine.from = from;
    to.place = free_;
    free_ = mine.next;
    mine.id = to.id;
    mine.attempt = to.attempt;
    mine.cancelled = false;
    ++under_way_;
}

// What has been received is not stopped; its answer is not sent.
void receiver::take_cancel (std::string_view from, const wire::gateway_head &head) noexcept
{
    const holding here (lock_);
    if (under_way_ == 0)
        return;
    for (place &each : places_)
        if (each.id == head.id && each.attempt == head.attempt && each.from == from)
            each.cancelled = true;
}

// --- answering ---------------------------------------------------------------------

result<bool> receiver::answered_locked (inquiry &which) noexcept
{
    if (closed_)
        return errc::terminated;
    if (which.one_way || which.place >= places_.size ())
        return errc::wrong_state;
    const place &mine = places_[which.place];
    if (mine.id != which.id || mine.attempt != which.attempt || mine.from != which.from ())
        return errc::wrong_state;
    return !mine.cancelled;
}

void receiver::end_locked (inquiry &which) noexcept
{
    place &mine = places_[which.place];
    mine.id = 0;
    mine.next = free_;
    free_ = which.place;
    --under_way_;
}

bool receiver::unwanted (inquiry &which) noexcept
{
    const time_ns now = world_.time.now_ns ();
    const holding here (lock_);
    const result<bool> wanted = answered_locked (which);
    return which.deadline_ns <= now || (!which.one_way && !(wanted.ok () && wanted.value ()));
}

result<void> receiver::reply (inquiry &to, std::span<base::message> parts) noexcept
{
    if (to.traceparent.empty ()) [[likely]]
        return answer (to, nullptr, parts);
    wire::gateway_head head;
    head.kind = wire::gateway_kind::reply;
    head.traceparent = to.traceparent;
    return answer (to, &head, parts);
}

result<void> receiver::fail (inquiry &to, const refusal &why) noexcept
{
    wire::gateway_head head;
    head.kind = wire::gateway_kind::failure;
    head.code = why.code;
    head.flags = why.untouched || untouched (why.code) ? wire::gateway_flag_untouched : 0;
    head.detail = why.detail;
    head.retry_after_ms = why.retry_after_ms;
    head.text = why.text.substr (0, wire::service_text_bytes_max);
    return answer (to, &head, {});
}

// head: what it says beside numbers and load; null: it is a reply, and nothing.
result<void> receiver::answer (inquiry &to, wire::gateway_head *head, std::span<base::message> parts) noexcept
try {
    lock_.lock ();
    const result<bool> wanted = answered_locked (to);
    const auto load = static_cast<std::uint32_t> (under_way_);
    const unsigned drains = draining_ ? wire::gateway_flag_draining : 0;
    const bool others_wait = read_at_ != read_end_;
    lock_.unlock ();
    if (!wanted.ok ())
        return wanted.failure ();
    if (wanted.value ()) {
        const time_ns had = std::max<time_ns> (world_.time.now_ns () - to.came_ns, 0);
        const auto time_us = static_cast<std::uint64_t> (had / base::ns_per_us);
        const auto numbers = [&] () -> wire::gateway_numbers {
            return {.flags = drains, .attempt = to.attempt, .id = to.id, .time_us = time_us};
        };
        const bool more_follow = others_wait && had < prompt_ns;
        const io_count sent =
          head == nullptr ? say_answer (to, wire::gateway_reply_head (numbers (), load), parts, more_follow)
                          : say_answer (to, encoded_answer (to, *head, numbers (), load), parts, more_follow);
        if (!sent.ok () && sent.code () != errc::host_unreachable)
            return sent.code () == errc::not_a_socket ? errc::terminated : sent.code ();
    }
    for (base::message &each : parts) {
        each.close ();
        each.init ();
    }
    lock_.lock ();
    end_locked (to);
    counters_.cancelled += !wanted.value ();
    const bool replied = head == nullptr || head->kind == wire::gateway_kind::reply;
    counters_.replies += wanted.value () && replied;
    counters_.failures += wanted.value () && !replied;
    const bool told = draining_;
    lock_.unlock ();
    if (told)
        change_.ring ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

io_count
receiver::tell (std::string_view gateway, std::string_view service, std::span<base::message> parts) noexcept
try {
    if (!is_service_name (service))
        return errc::invalid_argument;
    wire::gateway_head head;
    head.kind = wire::gateway_kind::one_way;
    head.service = service;
    const io_count sent = say (gateway, head, parts);
    if (sent.ok ())
        for (base::message &each : parts) {
            each.close ();
            each.init ();
        }
    return sent;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// In the inquiry's memory. Throws bad_alloc.
base::bytes_view receiver::encoded_answer (inquiry &to,
                                           wire::gateway_head &head,
                                           const wire::gateway_numbers &numbers,
                                           std::uint32_t load)
{
    head.flags |= numbers.flags;
    head.attempt = numbers.attempt;
    head.id = numbers.id;
    head.time_us = numbers.time_us;
    head.load = load;
    to.head.clear ();
    wire::encode_gateway_head (head, to.head);
    return to.head;
}

// Small ones are copied to where they go. more_follow: other requests are here to be
// answered.
io_count
receiver::say_answer (inquiry &to, base::bytes_view head, std::span<base::message> parts, bool more_follow)
{
    const io_count quick =
      socket::send_headed (socket_, base::as_bytes (to.from ()), head, parts, more_follow);
    return quick.ok () ? quick : say_encoded (to.from (), head, parts);
}

io_count receiver::say (std::string_view to, const wire::gateway_head &head, std::span<base::message> parts)
{
    std::vector<std::byte> octets;
    octets.reserve (wire::gateway_head_bytes + 16);
    wire::encode_gateway_head (head, octets);
    return say_encoded (to, octets, parts);
}

// The parts stay the caller's.
io_count receiver::say_encoded (std::string_view to, base::bytes_view octets, std::span<base::message> parts)
{
    held_parts message;
    message.reserve (2 + parts.size ());
    base::message part;
    if (!part.init_copy (base::as_bytes (to)).ok ())
        throw std::bad_alloc ();
    part.set_more (true);
    message.take (part);
    if (!part.init_copy (octets).ok ())
        throw std::bad_alloc ();
    part.set_more (!parts.empty ());
    message.take (part);
    message.share_all (parts);
    return socket::send_parts (socket_, message.all (), socket::io_dont_wait);
}

// --- going -------------------------------------------------------------------------

result<void> receiver::drain (time_ns deadline) noexcept
try {
    if (!enter_call ())
        return errc::terminated;
    struct leaver
    {
        receiver &of;
        ~leaver () { of.leave_call (); }
    } leaves{*this};
    std::map<std::string, offered, std::less<>> offers;
    std::set<std::string, std::less<>> gateways;
    lock_.lock ();
    try {
        forget_last_locked ();
        if (!std::exchange (draining_, true)) {
            offers = offers_;
            gateways = gateways_;
        }
    } catch (const std::bad_alloc &) {
        draining_ = false;
        lock_.unlock ();
        throw;
    }
    lock_.unlock ();
    const std::shared_ptr<registrar> whom = who_registers ();
    if (whom != nullptr)
        for (const auto &[service, each] : offers)
            if (!each.endpoint.empty ())
                (void)whom->offer (service, each.endpoint, 0);
    for (const std::string &each : gateways)
        (void)say (
          each,
          {.kind = wire::gateway_kind::alive, .flags = wire::gateway_flag_draining, .instance = instance ()},
          {});
    for (;;) {
        const std::uint32_t heard = change_.heard ();
        lock_.lock ();
        const bool done = under_way_ == 0;
        const bool over = closed_;
        lock_.unlock ();
        if (done || over)
            break;
        if (change_.wait (heard, deadline) == base::wait_outcome::timed_out)
            return errc::timed_out;
    }
    if (whom != nullptr)
        whom->leave (deadline);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

std::size_t receiver::under_way () noexcept
{
    const holding here (lock_);
    return under_way_;
}

receiver_counters receiver::counters () noexcept
{
    const holding here (lock_);
    return counters_;
}

}  // namespace zlink::service
