#include "sim/doors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/message.hpp"
#include "sim/socket_locks.hpp"
#include "wire/zap.hpp"

namespace zlink::sim {

namespace {

using base::errc;

// zmq.h's numbers of options.
enum option : int
{
    option_linger = 17,
    option_reconnect_ms = 18,
    option_receive_timeout = 27,
    option_plain_server = 44,
    option_plain_username = 45,
    option_plain_password = 46,
    option_curve_server = 47,
    option_curve_public_key = 48,
    option_curve_secret_key = 49,
    option_curve_server_key = 50,
    option_zap_domain = 55,
    option_enforce_domain = 93,
    option_allowed_keys = 3031,
    option_passwords = 3032,
};

constexpr int type_sub = 2;
constexpr int type_rep = 4;
constexpr int type_stream = 11;
constexpr int type_xsub = 10;

constexpr std::string_view handler_endpoint = "inproc://zeromq.zap.01";
constexpr std::string_view domain_prefix = "door ";
constexpr std::string_view password = "password";
// Of that password, with the least work that Argon2 knows.
constexpr std::string_view password_line =
  ":$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4\n";
constexpr std::size_t request_parts_max = 12;
constexpr time_ns thought_max_ns = 20 * base::ns_per_ms;

std::string domain_of (std::size_t door) { return std::string (domain_prefix) + std::to_string (door); }

std::string_view text_of (base::bytes_view bytes)
{
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

// What a stranger sends, and nobody else: no stream's message.
constexpr std::string_view strange_words = "from a stranger";

}  // namespace

// A function of the application's. Its thread may not fail the simulation where
// sockets have gone meanwhile, so it only answers.
class doors::function final : public socket::policy
{
  public:
    function (doors &all, std::size_t at) noexcept : all_ (all), at_ (at) {}
    void judge (const socket::peer_claim &about, socket::verdict &to) const override
    {
        all_.on_.world.sim.seen.saw ("function asked");
        to.status = all_.judge (at_, about.shown.parts);
        to.text = "so it is";
        to.user_id = "somebody";
    }

  private:
    doors &all_;
    const std::size_t at_;
};

doors::doors (stage &on, std::span<const std::unique_ptr<socket_seat>> seats)
  : on_ (on), seats_ (seats), places_ (seats.size (), place{no_door, false})
{
    refusals_left_ = static_cast<unsigned> (on_.world.sim.roll_below (8));
}

// --- plans ---------------------------------------------------------------------------

// Everybody who is linked with the first, each on one side. Empty: there are no two.
std::vector<std::size_t>
doors::meet_all (std::size_t first, std::span<const link> links, std::vector<int> &sides) const
{
    std::vector<std::size_t> met{first};
    bool two_sides = true;
    sides[first] = 0;
    for (std::size_t done = 0; done < met.size (); ++done) {
        const std::size_t at = met[done];
        two_sides = two_sides && seats_[at]->type != type_stream;
        for (const link &each : links) {
            if (each.binder != at && each.dialer != at)
                continue;
            const std::size_t other = each.binder == at ? each.dialer : each.binder;
            if (sides[other] < 0) {
                sides[other] = 1 - sides[at];
                met.push_back (other);
            } else
                two_sides = two_sides && sides[other] != sides[at];
        }
    }
    return two_sides && met.size () > 1 ? met : std::vector<std::size_t>{};
}

void doors::plan (std::span<const link> links)
{
    std::vector<int> sides (seats_.size (), -1);
    for (std::size_t i = 0; i < seats_.size (); ++i) {
        if (sides[i] >= 0)
            continue;
        const std::vector<std::size_t> met = meet_all (i, links, sides);
        if (!met.empty () && on_.world.sim.chance (850))
            make_door (met, sides);
    }
    // Who sends of its own accord to a server that is there to be dialled.
    for (const link &each : links) {
        const place &server = places_[each.binder];
        const int type = seats_[each.dialer]->type;
        if (server.server && all_[server.at]->spoken != mechanism::none
            && each.endpoint.starts_with ("sim://") && type != type_sub && type != type_xsub
            && type != type_rep && on_.world.sim.chance (400))
            strangers_.push_back ({server.at, type, each.endpoint});
    }
}

void doors::make_door (std::span<const std::size_t> seats, const std::vector<int> &sides)
{
    simulation &sim = on_.world.sim;
    auto made = std::make_unique<door> ();
    made->spoken = static_cast<mechanism> (sim.roll_below (3));
    made->by = static_cast<keeper> (sim.roll_below (made->spoken == mechanism::none ? 2 : 3));
    const int server_side = static_cast<int> (sim.roll_below (2));
    made->server = make_keys ();
    for (const std::size_t each : seats) {
        places_[each] = {all_.size (), sides[each] == server_side};
        if (sides[each] != server_side)
            made->clients.emplace (each, make_keys ());
    }
    sim.seen.saw_if ("door of NULL", made->spoken == mechanism::none);
    sim.seen.saw_if ("door of PLAIN", made->spoken == mechanism::plain);
    sim.seen.saw_if ("door of CURVE", made->spoken == mechanism::curve);
    sim.seen.saw_if ("door with a list", made->by == keeper::list);
    all_.push_back (std::move (made));
}

doors::key_pair doors::make_keys ()
{
    key_pair made;
    if (!socket::make_key_pair (on_.world.secrets, made.open, made.secret).ok ())
        on_.world.sim.fail ("there are no keys");
    return made;
}

bool doors::has_handler () const noexcept
{
    return std::any_of (all_.begin (), all_.end (),
                        [] (const auto &each) { return each->by == keeper::handler; });
}

// --- what sockets are told -----------------------------------------------------------

void doors::set (void *socket, int option, int value)
{
    set_bytes (socket, option, base::bytes_view (reinterpret_cast<const std::byte *> (&value), sizeof value));
}

void doors::set_bytes (void *socket, int option, base::bytes_view value)
{
    const auto done =
      on_.world.sim.called ("set_option", socket::set_option (socket, option, value.data (), value.size ()));
    if (!done.ok () && !on_.may_be_refused)
        on_.world.sim.fail ("option " + std::to_string (option) + " is refused");
}

void doors::furnish (std::size_t seat)
{
    const place &at = places_[seat];
    if (at.at == no_door)
        return;
    void *const socket = seats_[seat]->handle;
    if (at.server)
        set_server (socket, at.at);
    else
        set_client (socket, *all_[at.at], all_[at.at]->clients.at (seat), password);
}

void doors::set_server (void *socket, std::size_t at)
{
    const door &of = *all_[at];
    set_bytes (socket, option_zap_domain, base::as_bytes (domain_of (at)));
    // Or CURVE and NULL let in whoever comes while there is no handler.
    set (socket, option_enforce_domain, 1);
    if (of.spoken == mechanism::plain)
        set (socket, option_plain_server, 1);
    if (of.spoken == mechanism::curve) {
        set (socket, option_curve_server, 1);
        set_bytes (socket, option_curve_secret_key, of.server.secret.bytes ());
    }
    if (of.by == keeper::function
        && !on_.world.sim
              .called ("judge_by", socket::judge_by (socket, std::make_shared<function> (*this, at)))
              .ok ())
        on_.world.sim.fail ("a function is refused");
    if (of.by != keeper::list)
        return;
    if (of.spoken == mechanism::plain) {
        set_bytes (socket, option_passwords, base::as_bytes ("guest" + std::string (password_line)));
        return;
    }
    std::vector<std::byte> keys;
    for (const auto &[seat, own] : of.clients)
        keys.insert (keys.end (), own.open.begin (), own.open.end ());
    set_bytes (socket, option_allowed_keys, keys);
}

void doors::set_client (void *socket, const door &of, const key_pair &own, std::string_view shown)
{
    if (of.spoken == mechanism::plain) {
        set_bytes (socket, option_plain_username, base::as_bytes ("guest"));
        set_bytes (socket, option_plain_password, base::as_bytes (shown));
    }
    if (of.spoken != mechanism::curve)
        return;
    set_bytes (socket, option_curve_public_key, own.open);
    set_bytes (socket, option_curve_secret_key, own.secret.bytes ());
    set_bytes (socket, option_curve_server_key, of.server.open);
}

// --- who says who comes in -----------------------------------------------------------

std::size_t doors::door_named (std::string_view domain) const
{
    for (std::size_t i = 0; i < all_.size (); ++i)
        if (domain_of (i) == domain)
            return i;
    return no_door;
}

unsigned doors::judge (std::size_t at, std::span<const std::string> shown)
{
    simulation &sim = on_.world.sim;
    if (sim.chance (300))
        sim.pass_time (sim.roll_time (thought_max_ns));
    const door &of = *all_[at];
    bool known = of.spoken == mechanism::none && shown.empty ();
    if (of.spoken == mechanism::plain)
        known = shown.size () == 2 && shown[0] == "guest" && shown[1] == password;
    if (of.spoken == mechanism::curve)
        for (const auto &[seat, own] : of.clients)
            known = known || (shown.size () == 1 && shown[0] == text_of (own.open));
    sim.seen.saw_if ("stranger turned away", !known);
    return known ? judge_known () : wire::zap_status_refused;
}

unsigned doors::judge_known ()
{
    simulation &sim = on_.world.sim;
    static constexpr unsigned refusals[] = {wire::zap_status_later, wire::zap_status_refused,
                                            wire::zap_status_failed};
    if (refusals_left_ > 0 && sim.chance (300)) {
        --refusals_left_;
        ++turned_away_;
        sim.seen.saw ("turned away and let in later");
        return refusals[sim.roll_below (std::size (refusals))];
    }
    return wire::zap_status_good;
}

bool doors::goes_on (base::errc code, const char *call) const
{
    if (code == errc::ok || code == errc::would_block || code == errc::interrupted)
        return true;
    if (!on_.may_be_refused)
        on_.world.sim.fail (std::string ("the handler's ") + call + " answers "
                            + std::to_string (static_cast<int> (code)));
    return false;
}

// One question; false: the socket has ended.
bool doors::answer (void *handler)
{
    simulation &sim = on_.world.sim;
    std::array<base::message, request_parts_max> parts;
    for (base::message &each : parts)
        each.init ();
    std::size_t needed = 0;
    const auto got = sim.called ("receive_parts", socket::receive_parts (handler, parts, 0, &needed));
    std::vector<std::string> words;
    for (std::size_t i = 0; got.ok () && i < got.size (); ++i)
        words.emplace_back (text_of (parts[i].view ()));
    for (base::message &each : parts)
        each.close ();
    if (!got.ok ())
        return goes_on (got.code (), "receive");
    constexpr std::size_t version = 0, request = 1, domain = 2, mechanism_name = 5, shown = 6;
    if (words.size () < shown || words[version] != "1.0")
        sim.fail ("a question of " + std::to_string (words.size ()) + " parts");
    const std::size_t at = door_named (words[domain]);
    static constexpr std::string_view names[] = {"NULL", "PLAIN", "CURVE"};
    if (at == no_door || words[mechanism_name] != names[static_cast<std::size_t> (all_[at]->spoken)])
        sim.fail ("a question about " + words[mechanism_name] + " behind '" + words[domain] + "'");
    sim.seen.saw ("handler asked");
    const unsigned status = judge (at, std::span (words).subspan (shown));
    const std::array<std::string, 6> reply = {"1.0",      words[request], std::to_string (status),
                                              "so it is", "somebody",     ""};
    std::array<base::message, reply.size ()> answers;
    for (std::size_t i = 0; i < reply.size (); ++i)
        (void)answers[i].init_copy (base::as_bytes (reply[i]));
    errc code = errc::interrupted;
    while (code == errc::interrupted)
        code = sim.called ("send_parts", socket::send_parts (handler, answers, 0)).code ();
    for (base::message &each : answers)
        each.close ();
    return goes_on (code, "send");
}

void doors::answer_questions (void *context, const bool &over)
{
    simulation &sim = on_.world.sim;
    if (sim.chance (300))
        sim.pass_time (sim.roll_time (50 * base::ns_per_ms));  // until then nobody is let in
    const auto made = sim.called ("open", socket::open (context, type_rep));
    if (!made.ok ())
        return;  // the context ends
    void *const handler = made.value ();
    sim.guard (*lock_word_of (handler));
    set (handler, option_linger, 0);
    set (handler, option_receive_timeout, 50);
    if (sim.called ("bind", socket::bind (handler, std::string (handler_endpoint))).ok ())
        while (!over && answer (handler)) {}
    (void)sim.called ("close", socket::close (handler));
}

// --- strangers -----------------------------------------------------------------------

void doors::knock (void *context, std::size_t number, const bool &over)
{
    simulation &sim = on_.world.sim;
    const stranger &who = strangers_[number];
    const auto made = sim.called ("open", socket::open (context, who.type));
    if (!made.ok ())
        return;
    void *const socket = made.value ();
    sim.guard (*lock_word_of (socket));
    set (socket, option_linger, 0);
    set (socket, option_reconnect_ms, 5 + static_cast<int> (sim.roll_below (50)));
    // With nothing, or with what opens no door.
    if (sim.chance (700))
        set_client (socket, *all_[who.at], make_keys (), "secret");
    (void)sim.called ("connect", socket::connect (socket, who.endpoint));
    sim.seen.saw ("stranger knocked");
    for (std::uint64_t tries = 5 + sim.roll_below (20); tries > 0 && !over; --tries) {
        (void)sim.called ("send (bytes)",
                          socket::send (socket, base::as_bytes (strange_words), socket::io_dont_wait));
        sim.pass_time (sim.roll_time (30 * base::ns_per_ms));
    }
    (void)sim.called ("close", socket::close (socket));
}

}  // namespace zlink::sim
