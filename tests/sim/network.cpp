#include "sim/network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zlink::sim {

using base::errc;

namespace {

constexpr std::size_t name_bytes_max = 100;
// Names that the resolver has to be asked for.
constexpr std::string_view asked_prefix = "host.";
constexpr std::size_t overfill_bytes_max = 4096;
constexpr base::time_ns dial_silence_ns = 20 * base::ns_per_s;

}  // namespace

// --- transport -----------------------------------------------------------------------

result<void> network::check_remote (std::string_view address, const base::stream_options &) noexcept
{
    if (address.size () > name_bytes_max)
        return errc::name_too_long;
    return address == "*" ? result<void> (errc::invalid_argument) : result<void> ();
}

bool network::must_ask (std::string_view address, const base::stream_options &) const noexcept
{
    return address.starts_with (asked_prefix);
}

base::resolve_result network::resolve (std::string_view address, const base::stream_options &) noexcept
{
    sim_.call ("resolve");
    base::resolve_result found;
    if (sim_.chance (how_.lookup_failure_per_mille)) {
        sim_.seen.saw ("failed lookup");
        found.failure = {errc::name_not_found, 0};
        return found;
    }
    // Sometimes nobody is at the first address.
    if (sim_.chance (100)) {
        sim_.seen.saw ("nobody at the first address");
        found.addresses.push_back ({"sim://nobody.at." + std::string (address), {}});
    }
    found.addresses.push_back ({"sim://" + std::string (address), {}});
    return found;
}

result<std::unique_ptr<base::stream>> network::dial (const base::address &to,
                                                     const base::stream_options &) noexcept
{
    sim_.call ("dial");
    if (table_.full () || sim_.chance (how_.full_per_mille)) {
        sim_.seen.saw ("no descriptor for a dial");
        return base::error{errc::too_many_files, 24};
    }
    auto made = std::make_shared<link> ();
    made->number = next_link_++;
    made->name = to.text.substr (to.text.find ("://") + 3);
    if (listeners_.find (made->name) == listeners_.end () && sim_.chance (300))
        return base::error{errc::connection_refused, 111};  // as local sockets do
    made->delay_ns = how_.delay_min_ns
                     + static_cast<base::time_ns> (sim_.roll_below (
                       static_cast<std::uint64_t> (how_.delay_max_ns - how_.delay_min_ns) + 1));
    for (direction &each : made->way) {
        const std::size_t spread = how_.buffer_bytes_max - how_.buffer_bytes_min + 1;
        each.flying_max = how_.buffer_bytes_min + sim_.roll_below (spread);
        each.arrived_max = how_.buffer_bytes_min + sim_.roll_below (spread);
    }
    if (const auto cut = cuts_.find (made->name); cut != cuts_.end ())
        for (const int side : {0, 1})
            made->way[side].cut_until = cut->second[static_cast<std::size_t> (side)];
    auto stream = std::make_unique<virtual_stream> (*this, made, 0);
    links_.push_back (made);
    if (sim_.chance (200))
        answer_dial (made);
    else
        sim_.after (made->delay_ns, [this, made] { answer_dial (made); });
    sim_.call ("dialled");
    return std::unique_ptr<base::stream> (std::move (stream));
}

void network::refuse (link &which) noexcept
{
    sim_.seen.saw ("refused connect");
    which.broken = true;
    which.failure[0] = errc::connection_refused;
    if (which.end[0] != nullptr)
        which.end[0]->changed (level_all);
}

void network::answer_dial (const std::shared_ptr<link> &which) noexcept
{
    if (which->closed[0])
        return;
    if (const base::time_ns cut = std::max (which->way[0].cut_until, which->way[1].cut_until);
        cut > sim_.now ()) {
        sim_.at (cut, [this, which] { answer_dial (which); });
        return;
    }
    if (sim_.chance (how_.silent_per_mille)) {
        sim_.after (dial_silence_ns, [this, which] {
            if (!which->closed[0]) {
                sim_.seen.saw ("unanswered connect");
                refuse (*which);
                which->failure[0] = errc::timed_out;
            }
        });
        return;
    }
    const auto found = listeners_.find (which->name);
    if (found == listeners_.end () || found->second->waiting_.size () >= found->second->backlog_
        || sim_.chance (how_.refuse_per_mille)) {
        refuse (*which);
        return;
    }
    which->connected = true;
    found->second->waiting_.push_back (which);
    found->second->changed (level_in);
    which->end[0]->changed (level_out);
}

result<std::unique_ptr<base::listener>> network::listen (std::string_view address,
                                                         const base::stream_options &options) noexcept
{
    sim_.call ("listen");
    std::string name (address);
    if (name == "*")
        name = "auto." + std::to_string (next_name_++);
    if (listeners_.contains (name))
        return errc::address_in_use;
    if (table_.full ())
        return errc::too_many_files;
    const auto backlog = static_cast<std::size_t> (std::max (options.backlog, 1));
    auto made = std::make_unique<virtual_listener> (*this, name, backlog);
    listeners_[name] = made.get ();
    return std::unique_ptr<base::listener> (std::move (made));
}

// --- bytes on their way --------------------------------------------------------------

// What that side sends stays where it is.
base::time_ns network::quiet_until (const link &which, int side) const noexcept
{
    return std::max (which.stalled_until, which.way[side].cut_until);
}

void network::set_off (direction &way) noexcept
{
    way.moving = true;
    if (moving_++ == 0)
        busy_since_ = sim_.now ();
}

void network::settle (direction &way) noexcept
{
    way.moving = false;
    if (--moving_ == 0)
        busy_ns_ += sim_.now () - busy_since_;
}

base::time_ns network::busy_ns () const noexcept
{
    return moving_ == 0 ? busy_ns_ : busy_ns_ + sim_.now () - busy_since_;
}

void network::move_later (const std::shared_ptr<link> &which, int side) noexcept
{
    direction &way = which->way[side];
    if (way.moving || which->broken || !which->connected)
        return;
    set_off (way);
    const base::time_ns jitter =
      static_cast<base::time_ns> (sim_.roll_below (static_cast<std::uint64_t> (which->delay_ns) + 1));
    const base::time_ns when =
      std::max (sim_.now () + which->delay_ns / 2 + jitter, quiet_until (*which, side));
    sim_.at (when, [this, which, side] {
        settle (which->way[side]);
        move (which, side);
    });
}

// How much of it arrives next.
std::size_t network::choose_piece (const direction &way) noexcept
{
    const std::size_t room = way.arrived_max - std::min (way.arrived_max, way.arrived.size ());
    std::size_t piece = 1 + sim_.roll_below (how_.piece_bytes_max);
    if (sim_.chance (100))
        piece = 1;
    piece = std::min ({piece, room, way.flying.size ()});
    if (piece == 1 && way.flying.size () > 1)
        sim_.seen.saw ("one-byte piece");
    return piece;
}

// One piece arrives, and perhaps the end with it.
void network::move (const std::shared_ptr<link> &which, int side) noexcept
{
    if (which->broken)
        return;
    if (quiet_until (*which, side) > sim_.now ()) {
        move_later (which, side);
        return;
    }
    direction &way = which->way[side];
    const int there = 1 - side;
    if (which->closed[there] && !way.flying.empty ()) {
        sim_.seen.saw ("closed with input unread");
        reset (*which);  // nobody will read it
        return;
    }
    const std::size_t piece = choose_piece (way);
    const auto last = way.flying.begin () + static_cast<std::ptrdiff_t> (piece);
    way.arrived.insert (way.arrived.end (), way.flying.begin (), last);
    way.flying.erase (way.flying.begin (), last);
    bool end = false;
    if (way.flying.empty () && way.end_sent && !way.end_arrived && (piece == 0 || sim_.chance (500)))
        end = way.end_arrived = true;
    sim_.note ("arrived", piece);
    if (which->end[there] != nullptr && (piece > 0 || end))
        which->end[there]->changed (end ? level_in | level_peer_ended | level_hangup
                                        : std::uint32_t{level_in});
    if (piece > 0 && which->end[side] != nullptr && (which->end[side]->level () & level_out) != 0)
        which->end[side]->changed (level_out);
    const bool more = !way.flying.empty () || (way.end_sent && !way.end_arrived);
    if (more && (way.arrived.size () < way.arrived_max || way.flying.empty ()))
        move_later (which, side);
}

void network::reset (link &which) noexcept
{
    if (which.broken)
        return;
    which.broken = true;
    for (int side : {0, 1}) {
        which.way[side].flying.clear ();
        which.failure[side] = errc::connection_reset;
        if (which.end[side] != nullptr)
            which.end[side]->changed (level_all);
    }
}

// One side is gone: what it sent still arrives, unless it left input unread.
void network::finish_close (const std::shared_ptr<link> &which, int side) noexcept
{
    which->closed[side] = true;
    which->end[side] = nullptr;
    if (!which->connected || which->broken)
        return;
    if (!which->way[1 - side].arrived.empty ()) {
        sim_.seen.saw ("closed with input unread");
        const base::time_ns when = std::max (sim_.now () + which->delay_ns, which->way[side].cut_until);
        sim_.at (when, [this, which] { reset (*which); });
        return;
    }
    which->way[side].end_sent = true;
    move_later (which, side);
}

// --- faults --------------------------------------------------------------------------

link *network::pick () noexcept
{
    std::erase_if (links_, [] (const auto &each) { return each.expired (); });
    std::vector<link *> alive;
    for (const auto &each : links_)
        if (const auto held = each.lock (); held->connected && !held->broken)
            alive.push_back (held.get ());
    return alive.empty () ? nullptr : alive[sim_.roll_below (alive.size ())];
}

bool network::break_one () noexcept
{
    link *const which = pick ();
    if (which == nullptr)
        return false;
    sim_.note ("fault: reset", which->number);
    sim_.seen.saw ("reset");
    injured_ (which->name);
    reset (*which);
    return true;
}

bool network::end_one (base::time_ns stall) noexcept
{
    link *const which = pick ();
    if (which == nullptr)
        return false;
    const int side = sim_.chance (500) ? 1 : 0;
    sim_.note ("fault: end", which->number);
    sim_.seen.saw ("half-close");
    injured_ (which->name);
    which->stalled_until = std::max (which->stalled_until, sim_.now () + stall);
    which->way[side].end_sent = true;
    for (const auto &each : links_)
        if (const auto held = each.lock (); held.get () == which)
            move_later (held, side);
    return true;
}

void network::stall_all (base::time_ns length) noexcept
{
    for (const auto &each : links_)
        if (const auto held = each.lock ())
            held->stalled_until = std::max (held->stalled_until, sim_.now () + length);
    sim_.note ("fault: all stall");
    sim_.seen.saw ("stall");
}

void network::cut (const std::string &name, bool there, bool back, base::time_ns length) noexcept
{
    sim_.note ("fault: cut");
    sim_.seen.saw_if ("cut of both ways", there && back);
    sim_.seen.saw_if ("cut of one way", there != back);
    injured_ (name);
    const base::time_ns until = sim_.now () + length;
    const std::array<base::time_ns, 2> cuts{there ? until : 0, back ? until : 0};
    cuts_[name] = cuts;
    for (const auto &each : links_)
        if (const auto held = each.lock (); held != nullptr && held->name == name)
            for (const int side : {0, 1})
                held->way[side].cut_until =
                  std::max (held->way[side].cut_until, cuts[static_cast<std::size_t> (side)]);
}

bool network::stall_one (base::time_ns length) noexcept
{
    link *const which = pick ();
    if (which == nullptr)
        return false;
    sim_.note ("fault: stall", which->number);
    sim_.seen.saw ("stall");
    which->stalled_until = std::max (which->stalled_until, sim_.now () + length);
    return true;
}

std::string network::describe () const
{
    std::string text = "  network: " + std::to_string (streams_) + " streams, "
                       + std::to_string (listeners_.size ()) + " listeners\n";
    for (const auto &each : links_) {
        const auto held = each.lock ();
        if (held == nullptr)
            continue;
        text += "  link " + std::to_string (held->number) + " to " + held->name
                + (held->broken      ? " broken"
                   : held->connected ? " connected"
                                     : " connecting");
        for (int side : {0, 1}) {
            const direction &way = held->way[side];
            text += (side == 0 ? "; there: " : "; back: ") + std::to_string (way.flying.size ()) + " flying, "
                    + std::to_string (way.arrived.size ()) + " arrived" + (way.end_sent ? ", end sent" : "")
                    + (way.end_arrived ? ", end arrived" : "") + (held->closed[side] ? ", closed" : "");
        }
        text += "\n";
    }
    return text;
}

// --- streams -------------------------------------------------------------------------

class virtual_stream::user
{
  public:
    user (virtual_stream &of, unsigned &count, const char *what) noexcept
      : of_ (of), count_ (count), what_ (what)
    {
        if (++count_ > 1)
            of_.sim_.fail (std::string ("two at once: ") + what);
        of_.sim_.call (what_);
    }
    ~user ()
    {
        of_.sim_.call (what_);
        --count_;
    }
    user (const user &) = delete;
    user &operator= (const user &) = delete;

  private:
    virtual_stream &of_;
    unsigned &count_;
    const char *what_;
};

virtual_stream::virtual_stream (network &of, std::shared_ptr<link> on, int side)
  : kernel_file (of.table_), of_ (of), link_ (std::move (on)), side_ (side)
{
    link_->end[side_] = this;
    ++of_.streams_;
}

virtual_stream::~virtual_stream ()
{
    if (readers_ + writers_ > 0)
        sim_.fail ("a stream is closed while somebody uses it");
    sim_.call ("close");
    --of_.streams_;
    of_.finish_close (link_, side_);
}

result<std::size_t> virtual_stream::write (std::span<const base::bytes_view> slices) noexcept
{
    const user here (*this, writers_, "write");
    return write_now (slices);
}

result<std::size_t> virtual_stream::write_now (std::span<const base::bytes_view> slices) noexcept
{
    direction &way = sends ();
    if (link_->broken || way.end_sent) {
        const errc told = std::exchange (link_->failure[side_], errc::ok);
        return told == errc::ok ? base::error{errc::connection_aborted, 32} : base::error{told, 104};
    }
    if (!link_->connected)
        return errc::would_block;
    std::size_t room = way.flying_max - std::min (way.flying_max, way.flying.size ());
    if (room == 0) {
        sim_.seen.saw ("full buffer");
        return errc::would_block;
    }
    if (sim_.chance (of_.how_.short_write_per_mille)) {
        sim_.seen.saw ("short write");
        room = 1 + sim_.roll_below (room);
    }
    std::size_t done = 0;
    std::size_t total = 0;
    for (const base::bytes_view &each : slices)
        total += each.size ();
    // Kernels sometimes take a little more than they have room for.
    if (total > room && total - room < overfill_bytes_max && sim_.chance (300))
        room = total;
    if (total > room)
        sim_.seen.saw ("full buffer");
    for (const base::bytes_view &each : slices) {
        const std::size_t part = std::min (each.size (), room - done);
        way.flying.insert (way.flying.end (), each.begin (),
                           each.begin () + static_cast<std::ptrdiff_t> (part));
        done += part;
    }
    sim_.note ("written", done);
    of_.move_later (link_, side_);
    return done;
}

result<std::size_t> virtual_stream::read (std::span<const base::bytes_span> slices) noexcept
{
    const user here (*this, readers_, "read");
    return read_now (slices);
}

result<std::size_t> virtual_stream::read_now (std::span<const base::bytes_span> slices) noexcept
{
    direction &way = receives ();
    if (way.arrived.empty ()) {
        if (const errc told = std::exchange (link_->failure[side_], errc::ok); told != errc::ok)
            return base::error{told, 104};
        return way.end_arrived || link_->broken ? result<std::size_t> (std::size_t{0})
                                                : result<std::size_t> (errc::would_block);
    }
    const bool was_full = way.arrived.size () >= way.arrived_max;
    std::size_t done = 0;
    for (const base::bytes_span &each : slices) {
        const std::size_t part = std::min (each.size (), way.arrived.size ());
        std::copy_n (way.arrived.begin (), part, each.begin ());
        way.arrived.erase (way.arrived.begin (), way.arrived.begin () + static_cast<std::ptrdiff_t> (part));
        done += part;
    }
    sim_.note ("read", done);
    if (was_full && (!way.flying.empty () || way.end_sent))
        of_.move_later (link_, 1 - side_);
    return done;
}

bool virtual_stream::connecting () const noexcept { return !link_->connected; }

result<void> virtual_stream::finish_connect () noexcept
{
    const user here (*this, readers_, "finish connect");
    if (link_->broken && !link_->connected)
        return base::error{link_->failure[side_], 111};
    return link_->connected ? result<void> () : result<void> (errc::in_progress);
}

void virtual_stream::shutdown_write () noexcept
{
    sim_.call ("shutdown");
    if (!link_->connected || link_->broken)
        return;
    sends ().end_sent = true;
    of_.move_later (link_, side_);
}

bool virtual_stream::wait_writable (base::time_ns timeout_ns) noexcept
{
    const user here (*this, writers_, "wait writable");
    const auto ready = [this] { return (level () & (level_out | level_hangup | level_error)) != 0; };
    const base::time_ns deadline = timeout_ns < 0 ? base::never_ns : sim_.now () + timeout_ns;
    return ready () || sim_.wait ("waits for room", deadline, ready) == wait_end::ready;
}

bool virtual_stream::output_pending () noexcept
{
    sim_.call ("output pending");
    return !link_->broken && !sends ().flying.empty ();
}

std::string virtual_stream::local_endpoint () const
{
    return side_ == 1 ? "sim://" + link_->name : "sim://dialer." + std::to_string (link_->number);
}

std::string virtual_stream::remote_endpoint () const
{
    return side_ == 0 ? "sim://" + link_->name : "sim://dialer." + std::to_string (link_->number);
}

std::uint32_t virtual_stream::level () noexcept
{
    std::uint32_t bits = 0;
    if (link_->broken) {
        bits = level_in | level_out | level_peer_ended | level_hangup;
        return link_->failure[side_] != errc::ok ? bits | level_error : bits;
    }
    if (!link_->connected)
        return 0;
    const direction &in = receives ();
    const direction &out = sends ();
    if (!in.arrived.empty () || in.end_arrived)
        bits |= level_in;
    if (in.end_arrived)
        bits |= level_peer_ended;
    if (in.end_arrived && out.end_sent)
        bits |= level_hangup;
    // A third must be free before the kernel calls it writable again.
    if (out.end_sent || out.flying.size () * 3 <= out.flying_max * 2)
        bits |= level_out;
    return bits;
}

// --- listeners -----------------------------------------------------------------------

virtual_listener::virtual_listener (network &of, std::string name, std::size_t backlog)
  : kernel_file (of.table_), of_ (of), name_ (std::move (name)), backlog_ (backlog)
{
}

virtual_listener::~virtual_listener ()
{
    if (busy_)
        sim_.fail ("a listener is closed while somebody uses it");
    sim_.call ("close listener");
    of_.listeners_.erase (name_);
    for (const auto &each : waiting_) {
        each->closed[1] = true;
        of_.reset (*each);
    }
}

result<std::unique_ptr<base::stream>> virtual_listener::accept () noexcept
{
    if (std::exchange (busy_, true))
        sim_.fail ("two at once: accept");
    sim_.call ("accept");
    busy_ = false;
    if (waiting_.empty ())
        return errc::would_block;
    if (table_.full () || sim_.chance (of_.how_.full_per_mille)) {
        sim_.seen.saw ("no descriptor for an accept");
        return base::error{errc::too_many_files, 24};
    }
    auto made = std::make_unique<virtual_stream> (of_, std::move (waiting_.front ()), 1);
    waiting_.pop_front ();
    return std::unique_ptr<base::stream> (std::move (made));
}

}  // namespace zlink::sim
