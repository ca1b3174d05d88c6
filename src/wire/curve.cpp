// CURVE (RFC 25, 26). Names of keys as there: the client's C, the server's S,
// and for this connection only C' and S' (small letters: their secret halves).
// Offsets and the prefixes of nonces are the RFC's.
//
//   HELLO      version 1 0, 72 zeros, C', number, Box [64 zeros] (C'->S)
//   WELCOME    nonce, Box [S', cookie] (S->C'); cookie: nonce, Box [C', s'] (K)
//   INITIATE   cookie, number, Box [C, vouch, properties] (C'->S')
//              vouch: nonce, Box [C', S] (C->S')
//   READY      number, Box [properties] (S'->C')
//
// Numbers grow with every command of a direction. K and s' live in here until
// INITIATE and are wiped with it: a cookie is good for its own connection only.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/appending.hpp"
#include "crypto/box.hpp"
#include "wire/mechanism.hpp"

namespace zlink::wire {

namespace {

using base::close_reason;
using crypto::key_bytes;
using crypto::mac_bytes;
using crypto::nonce;
using crypto::public_key;
using crypto::secret_key;

constexpr std::string_view message_from_client = "CurveZMQMESSAGEC";
constexpr std::string_view message_from_server = "CurveZMQMESSAGES";

constexpr std::size_t number_bytes = 8;
constexpr std::size_t short_nonce_bytes = 16;  // what follows a prefix of 8
constexpr std::size_t padding_bytes = 72;
constexpr std::size_t proof_bytes = 64;  // zeros
constexpr std::size_t cookie_bytes = short_nonce_bytes + mac_bytes + 2 * key_bytes;
constexpr std::size_t vouch_bytes = short_nonce_bytes + mac_bytes + 2 * key_bytes;

// Data, without the commands' names.
constexpr std::size_t hello_bytes = 2 + padding_bytes + key_bytes + number_bytes + mac_bytes + proof_bytes;
constexpr std::size_t welcome_bytes = short_nonce_bytes + mac_bytes + key_bytes + cookie_bytes;
constexpr std::size_t initiate_front_bytes = cookie_bytes + number_bytes;
constexpr std::size_t initiate_bytes_min = initiate_front_bytes + mac_bytes + key_bytes + vouch_bytes;
constexpr std::size_t ready_bytes_min = number_bytes + mac_bytes;
static_assert (hello_bytes == 200 - 6 && welcome_bytes == 168 - 8);
static_assert (initiate_bytes_min == 257 - 9 && ready_bytes_min == 30 - 6);

nonce numbered (std::string_view prefix, std::uint64_t number) noexcept
{
    nonce made;
    std::memcpy (made.data (), prefix.data (), prefix.size ());
    base::store_u64_be (made.data () + prefix.size (), number);
    return made;
}

nonce with_prefix (std::string_view prefix, bytes_view rest) noexcept
{
    nonce made;
    std::memcpy (made.data (), prefix.data (), prefix.size ());
    std::memcpy (made.data () + prefix.size (), rest.data (), rest.size ());
    return made;
}

public_key key_at (bytes_view bytes) noexcept
{
    public_key found;
    std::memcpy (found.data (), bytes.data (), key_bytes);
    return found;
}

// A command's data, written from front to back.
class writer
{
  public:
    explicit writer (std::size_t size) { data_.reserve (size); }
    void put (bytes_view bytes) { base::append (data_, bytes); }
    void put_number (std::uint64_t number)
    {
        std::byte octets[number_bytes];
        base::store_u64_be (octets, number);
        put (octets);
    }
    void put_zeros (std::size_t count) { data_.resize (data_.size () + count); }
    void put_box (bytes_view plain, const nonce &once, const secret_key &key)
    {
        const std::size_t at = data_.size ();
        data_.resize (at + plain.size () + mac_bytes);
        crypto::seal (data_.data () + at, plain, once, key);
    }
    [[nodiscard]] bytes_view all () const noexcept { return data_; }

  private:
    std::vector<std::byte> data_;
};

// What both ends have: their pair for this connection, and the key that it
// shares with the peer's.
struct short_term
{
    secret_key secret;
    public_key open{};
    secret_key shared;

    bool make (base::entropy &from) noexcept
    {
        if (!from.fill (secret.bytes ()))
            return false;
        open = crypto::public_key_of (secret);
        return true;
    }
};

class curve_client final : public mechanism
{
  public:
    curve_client (const security &wish, base::entropy &secrets, std::vector<std::byte> properties)
      : public_ (wish.own_public), secret_ (wish.own_secret), server_ (wish.server), secrets_ (secrets),
        own_ (std::move (properties))
    {
    }
    mechanism_step begin (std::vector<std::byte> &out) override
    {
        if (!mine_.make (secrets_))
            return fail (close_reason::no_keys, "there are no random numbers for keys");
        if (!crypto::agree (server_, mine_.secret, to_server_))
            return fail (close_reason::no_keys, "the server's key is none");
        writer hello (hello_bytes);
        const std::byte version[] = {std::byte{1}, std::byte{0}};
        hello.put (version);
        hello.put_zeros (padding_bytes);
        hello.put (mine_.open);
        hello.put_number (number_);
        const std::array<std::byte, proof_bytes> proof{};
        hello.put_box (proof, numbered ("CurveZMQHELLO---", number_++), to_server_);
        append_command (out, "HELLO", hello.all ());
        return mechanism_step::go_on;
    }
    mechanism_step hear (bytes_view body, std::vector<std::byte> &out) override
    {
        bytes_view data;
        if (!welcome_ && is_command (body, "WELCOME", data))
            return take_welcome (data, out);
        if (welcome_ && is_command (body, "READY", data))
            return take_ready (data);
        return fail (close_reason::command_unexpected, "not what CURVE's server has to say now");
    }
    std::unique_ptr<sealing> take_sealing () override
    {
        return std::make_unique<sealing> (
          sealing{{{mine_.shared, base::as_bytes (message_from_client)}, number_},
                  {{mine_.shared, base::as_bytes (message_from_server)}, heard_}});
    }

  private:
    mechanism_step take_welcome (bytes_view data, std::vector<std::byte> &out)
    {
        if (data.size () != welcome_bytes)
            return fail (close_reason::welcome_malformed, "the peer's WELCOME has a wrong size");
        std::array<std::byte, key_bytes + cookie_bytes> plain;
        const nonce once = with_prefix ("WELCOME-", data.first (short_nonce_bytes));
        if (!crypto::open (plain.data (), data.subspan (short_nonce_bytes), once, to_server_))
            return fail (close_reason::box_unopened, "the peer's WELCOME does not open");
        const public_key theirs = key_at (plain);
        secret_key vouching;
        if (!crypto::agree (theirs, mine_.secret, mine_.shared) || !crypto::agree (theirs, secret_, vouching))
            return fail (close_reason::box_unopened, "the peer's key is none");
        welcome_ = true;
        return say_initiate (bytes_view (plain).subspan (key_bytes), vouching, out);
    }
    mechanism_step say_initiate (bytes_view cookie, const secret_key &vouching, std::vector<std::byte> &out)
    {
        std::array<std::byte, short_nonce_bytes> fresh;
        if (!secrets_.fill (fresh))
            return fail (close_reason::no_keys, "there are no random numbers for a nonce");
        writer inside (key_bytes + vouch_bytes + own_.size ());
        inside.put (public_);
        inside.put (fresh);
        std::array<std::byte, 2 * key_bytes> vouch;
        std::memcpy (vouch.data (), mine_.open.data (), key_bytes);
        std::memcpy (vouch.data () + key_bytes, server_.data (), key_bytes);
        inside.put_box (vouch, with_prefix ("VOUCH---", fresh), vouching);
        inside.put (own_);
        writer initiate (initiate_bytes_min + own_.size ());
        initiate.put (cookie);
        initiate.put_number (number_);
        initiate.put_box (inside.all (), numbered ("CurveZMQINITIATE", number_++), mine_.shared);
        append_command (out, "INITIATE", initiate.all ());
        return mechanism_step::go_on;
    }
    mechanism_step take_ready (bytes_view data)
    {
        if (data.size () < ready_bytes_min)
            return fail (close_reason::ready_malformed, "the peer's READY is too short");
        heard_ = base::load_u64_be (data.data ());
        if (heard_ == 0)
            return fail (close_reason::sequence_invalid, "the peer counts from nothing");
        const bytes_view box = data.subspan (number_bytes);
        properties_.resize (box.size () - mac_bytes);
        if (!crypto::open (properties_.data (), box, numbered ("CurveZMQREADY---", heard_), mine_.shared))
            return fail (close_reason::box_unopened, "the peer's READY does not open");
        return mechanism_step::properties;
    }

    public_key public_;
    secret_key secret_;
    public_key server_;
    base::entropy &secrets_;
    std::vector<std::byte> own_;
    short_term mine_;
    secret_key to_server_;  // from C' to S
    std::uint64_t number_ = 1;
    std::uint64_t heard_ = 0;
    bool welcome_ = false;
};

class curve_server final : public mechanism
{
  public:
    curve_server (const security &wish, base::entropy &secrets, std::vector<std::byte> properties)
      : secret_ (wish.own_secret), judged_ (wish.asks () || wish.judged), secrets_ (secrets),
        own_ (std::move (properties))
    {
    }
    mechanism_step hear (bytes_view body, std::vector<std::byte> &out) override
    {
        bytes_view data;
        if (heard_ == 0 && is_command (body, "HELLO", data))
            return take_hello (data, out);
        if (heard_ != 0 && !initiated_ && is_command (body, "INITIATE", data))
            return take_initiate (data);
        return fail (close_reason::command_unexpected, "not what CURVE's client has to say now");
    }
    mechanism_step admit (std::vector<std::byte> &) override { return mechanism_step::properties; }
    bool finish (std::vector<std::byte> &out) override
    {
        writer ready (ready_bytes_min + own_.size ());
        ready.put_number (number_);
        ready.put_box (own_, numbered ("CurveZMQREADY---", number_++), mine_.shared);
        append_command (out, "READY", ready.all ());
        return true;
    }
    std::unique_ptr<sealing> take_sealing () override
    {
        return std::make_unique<sealing> (
          sealing{{{mine_.shared, base::as_bytes (message_from_server)}, number_},
                  {{mine_.shared, base::as_bytes (message_from_client)}, heard_}});
    }

  private:
    mechanism_step take_hello (bytes_view data, std::vector<std::byte> &out)
    {
        if (data.size () != hello_bytes || data[0] != std::byte{1} || data[1] != std::byte{0})
            return fail (close_reason::hello_malformed, "the peer's HELLO is malformed");
        bytes_view rest = data.subspan (2 + padding_bytes);
        theirs_ = key_at (rest);
        rest = rest.subspan (key_bytes);
        heard_ = base::load_u64_be (rest.data ());
        if (heard_ == 0)
            return fail (close_reason::sequence_invalid, "the peer counts from nothing");
        std::array<std::byte, proof_bytes> proof;
        secret_key with_client;  // from S to C'
        const nonce once = numbered ("CurveZMQHELLO---", heard_);
        if (!crypto::agree (theirs_, secret_, with_client)
            || !crypto::open (proof.data (), rest.subspan (number_bytes), once, with_client))
            return fail (close_reason::box_unopened,
                         "the peer's HELLO does not open: is ours its server's key?");
        return say_welcome (with_client, out);
    }
    mechanism_step say_welcome (const secret_key &with_client, std::vector<std::byte> &out)
    {
        std::array<std::byte, 2 * short_nonce_bytes> fresh;
        if (!mine_.make (secrets_) || !secrets_.fill (cookie_key_.bytes ()) || !secrets_.fill (fresh))
            return fail (close_reason::no_keys, "there are no random numbers for keys");
        const bytes_view of_cookie = bytes_view (fresh).first (short_nonce_bytes);
        const bytes_view of_welcome = bytes_view (fresh).subspan (short_nonce_bytes);
        base::secret<2 * key_bytes> kept;
        std::memcpy (kept.data (), theirs_.data (), key_bytes);
        std::memcpy (kept.data () + key_bytes, mine_.secret.data (), key_bytes);
        writer inside (key_bytes + cookie_bytes);
        inside.put (mine_.open);
        inside.put (of_cookie);
        inside.put_box (kept.bytes (), with_prefix ("COOKIE--", of_cookie), cookie_key_);
        writer welcome (welcome_bytes);
        welcome.put (of_welcome);
        welcome.put_box (inside.all (), with_prefix ("WELCOME-", of_welcome), with_client);
        append_command (out, "WELCOME", welcome.all ());
        return mechanism_step::go_on;
    }
    mechanism_step take_initiate (bytes_view data)
    {
        if (data.size () < initiate_bytes_min)
            return fail (close_reason::initiate_malformed, "the peer's INITIATE is too short");
        if (!is_our_cookie (data.first (cookie_bytes)))
            return fail (close_reason::box_unopened, "the peer's cookie is not ours");
        const std::uint64_t number = base::load_u64_be (data.data () + cookie_bytes);
        if (number <= heard_)
            return fail (close_reason::sequence_invalid, "the peer does not count upwards");
        heard_ = number;
        const bytes_view box = data.subspan (initiate_front_bytes);
        std::vector<std::byte> plain (box.size () - mac_bytes);
        if (!crypto::agree (theirs_, mine_.secret, mine_.shared)
            || !crypto::open (plain.data (), box, numbered ("CurveZMQINITIATE", number), mine_.shared))
            return fail (close_reason::box_unopened, "the peer's INITIATE does not open");
        if (!is_vouched_for (bytes_view (plain).first (key_bytes + vouch_bytes)))
            return fail (close_reason::key_exchange, "the peer does not vouch for the key it uses");
        shown_ = {mechanism_name (mechanism_kind::curve),
                  {std::string (base::as_text (bytes_view (plain).first (key_bytes)))}};
        properties_.assign (plain.begin () + key_bytes + vouch_bytes, plain.end ());
        initiated_ = true;
        return judged_ ? mechanism_step::ask : mechanism_step::properties;
    }
    [[nodiscard]] bool is_our_cookie (bytes_view cookie) noexcept
    {
        base::secret<2 * key_bytes> kept;
        const nonce once = with_prefix ("COOKIE--", cookie.first (short_nonce_bytes));
        const bool opened =
          crypto::open (kept.data (), cookie.subspan (short_nonce_bytes), once, cookie_key_);
        base::wipe (cookie_key_.bytes ());
        return opened && crypto::equal (bytes_view (kept.bytes ()).first (key_bytes), theirs_)
               && crypto::equal (bytes_view (kept.bytes ()).subspan (key_bytes), mine_.secret.bytes ());
    }
    // C, nonce and Box [C', S] (C->S').
    [[nodiscard]] bool is_vouched_for (bytes_view shown) const noexcept
    {
        const bytes_view once = shown.subspan (key_bytes, short_nonce_bytes);
        secret_key vouching;
        std::array<std::byte, 2 * key_bytes> vouch;
        if (!crypto::agree (key_at (shown), mine_.secret, vouching)
            || !crypto::open (vouch.data (), shown.subspan (key_bytes + short_nonce_bytes),
                              with_prefix ("VOUCH---", once), vouching))
            return false;
        const public_key own = crypto::public_key_of (secret_);
        return crypto::equal (bytes_view (vouch).first (key_bytes), theirs_)
               && crypto::equal (bytes_view (vouch).subspan (key_bytes), own);
    }

    secret_key secret_;
    bool judged_;
    bool initiated_ = false;
    base::entropy &secrets_;
    std::vector<std::byte> own_;
    short_term mine_;
    secret_key cookie_key_;
    public_key theirs_{};  // C'
    std::uint64_t number_ = 1;
    std::uint64_t heard_ = 0;
};

}  // namespace

std::unique_ptr<mechanism>
make_curve (const security &wish, base::entropy *secrets, std::vector<std::byte> properties)
{
    if (secrets == nullptr || !crypto::built ())
        return nullptr;
    if (wish.as_server)
        return std::make_unique<curve_server> (wish, *secrets, std::move (properties));
    return std::make_unique<curve_client> (wish, *secrets, std::move (properties));
}

}  // namespace zlink::wire
