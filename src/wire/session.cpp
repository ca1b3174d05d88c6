#include "wire/session.hpp"

#include <algorithm>
#include <new>

#include "base/appending.hpp"
#include "wire/command.hpp"
#include "wire/zap.hpp"

namespace zlink::wire {

namespace {

constexpr std::string_view text_no_memory = "memory is out";

greeting_config greeting_of (const session_config &config) noexcept
{
    greeting_config greeting;
    greeting.identity_size = std::min (config.identity.size (), identity_bytes_max);
    greeting.socket_type_octet = static_cast<std::uint8_t> (config.type);
    greeting.mechanism = mechanism_name (config.secured.mechanism);
    greeting.older_allowed = config.secured.open_to_all ();
    return greeting;
}

// A peer's words may stand in our logs.
std::string printable (bytes_view text)
{
    std::string clean (base::as_text (text));
    std::replace_if (
      clean.begin (), clean.end (), [] (char c) { return c < ' ' || c > '~'; }, '?');
    return clean;
}

// What libzmq's servers say of a peer that they do not let in; 0: other words.
int status_said (std::string_view words) noexcept
{
    const bool known = words == "300" || words == "400" || words == "500";
    return known ? (words[0] - '0') * 100 : 0;
}

}  // namespace

session::session (session_config config)
  : config_ (std::move (config)), greeting_ (greeting_of (config_)),
    command_bytes_max_ (config_.limits.command_bytes_max)
{
}

void session::start (session_start how) noexcept
{
    if (is_bare (config_.speaks) || config_.silent) {
        framing_ = config_.speaks;
        major_ = minor_ = 0;
        stage_ = stage::ready;
        return;
    }
    try {
        const bool secured =
          has_mechanism (mechanism_kind::plain) && config_.secured.mechanism != mechanism_kind::null;
        if (secured)
            mechanism_ = make_mechanism (config_.secured, config_.secrets, own_properties ());
        if (secured && config_.secured.as_server)
            command_bytes_max_ = std::min (command_bytes_max_, hello_bytes_max);
        if (config_.identity.size () > identity_bytes_max)
            fail (base::close_reason::identity_malformed, "our own identity is longer than 255 octets");
        else if (secured && mechanism_ == nullptr)
            fail (base::close_reason::no_keys, "the mechanism is not to be had");
        else if (how == session_start::greeting || !may_be_ungreeted ())
            greeting_.start (output_);
        else
            go_ungreeted (how);
    } catch (const std::bad_alloc &) {
        out_of_memory ();
    }
}

session_status session::feed (bytes_view in, std::size_t &consumed) noexcept
{
    const std::size_t offered = in.size ();
    try {
        advance (in);
    } catch (const std::bad_alloc &) {
        out_of_memory ();
    }
    consumed = offered - in.size ();
    return status ();
}

session_status session::status () const noexcept
{
    if (stage_ == stage::failed)
        return session_status::failed;
    return stage_ == stage::ready ? session_status::ready : session_status::need_more;
}

void session::output_drained (std::size_t size_bytes) noexcept
{
    written_ = std::min (output_.size (), written_ + size_bytes);
    ready_is_last_ = ready_is_last_ && written_ <= ready_at_;
    if (written_ == output_.size ()) {
        output_.clear ();
        written_ = 0;
    }
}

const std::string *session::peer_property (std::string_view name) const noexcept
{
    return metadata_.find (names_equal (name, "Routing-Id") ? property_identity : name);
}

void session::advance (bytes_view &in)
{
    for (;;) {
        switch (stage_) {
        case stage::greeting: {
            std::size_t used = 0;
            const greeting_status status = greeting_.feed (in, used, output_);
            in = in.subspan (used);
            if (status == greeting_status::need_more)
                return;
            if (status == greeting_status::failed)
                fail (greeting_.reason (), greeting_.text ());
            else
                greeting_complete ();
            break;
        }
        case stage::identity:
            if (!collect_frame (in))
                return;
            identity_complete ();
            break;
        case stage::command:
            if (!collect_frame (in))
                return;
            command_complete ();
            break;
        case stage::verdict:
            if (in.empty ())
                return;
            fail (base::close_reason::command_unexpected, "the peer goes on before it was let in");
            break;
        case stage::ready:
        case stage::failed:
            return;
        }
    }
}

void session::greeting_complete ()
{
    switch (greeting_.dialect ()) {
    case peer_dialect::unversioned:
        // Our signature was the header of our identity frame.
        framing_ = framing::zmtp_1_0;
        major_ = 1;
        peer_forwards_subscriptions_ = false;
        base::append (frame_, greeting_.front_of_frame ());
        base::append (output_, base::as_bytes (config_.identity));
        stage_ = stage::identity;
        return;
    case peer_dialect::revision_0:
        framing_ = framing::zmtp_1_0;
        major_ = 1;
        start_identity_exchange ();
        return;
    case peer_dialect::revision_1:
        framing_ = framing::zmtp_2_0;
        major_ = 2;
        start_identity_exchange ();
        return;
    case peer_dialect::zmtp_3:
        framing_ = framing::zmtp_3;
        minor_ = greeting_.minor ();
        begin_command ();
        return;
    }
}

void session::go_ungreeted (session_start how)
{
    ungreeted_ = true;
    if (how == session_start::commands)
        begin_command ();
    else
        queue_identity ();
}

void session::begin_command ()
{
    stage_ = stage::command;
    if (speaks_mechanism ())
        follow (mechanism_->begin (output_));
    else if (config_.secured.asks ())
        asking_ = true;
    else if (config_.order == ready_order::at_once)
        queue_ready ();
}

void session::start_identity_exchange ()
{
    if (take_socket_type (socket_type_from_number (greeting_.peer_octet ())))
        queue_identity ();
}

void session::queue_identity ()
{
    std::byte header[frame_header_bytes_max];
    const std::size_t header_bytes =
      encode_frame_header (framing_, header, config_.identity.size (), false, false);
    base::append (output_, bytes_view (header, header_bytes));
    base::append (output_, base::as_bytes (config_.identity));
    stage_ = stage::identity;
}

std::vector<std::byte> session::own_properties () const
{
    std::vector<std::byte> properties;
    append_property (properties, property_socket_type, base::as_bytes (socket_type_name (config_.type)));
    if (config_.send_identity)
        append_property (properties, property_identity, base::as_bytes (config_.identity));
    for (const auto &[name, value] : config_.properties)
        append_property (properties, name, base::as_bytes (value));
    return properties;
}

void session::queue_ready ()
{
    ready_at_ = output_.size ();
    append_command_frame (output_, make_ready (own_properties ()));
    ready_is_last_ = true;
}

bool session::collect_frame (bytes_view &in)
{
    const auto take = [&] (std::size_t wanted) {
        const std::size_t size = std::min (wanted, in.size ());
        base::append (frame_, in.first (size));
        in = in.subspan (size);
    };
    head_status status = decode_frame_header (framing_, frame_, head_);
    while (status == head_status::need_more && !in.empty ()) {
        take (1);
        status = decode_frame_header (framing_, frame_, head_);
    }
    if (status == head_status::need_more)
        return false;
    if (status == head_status::malformed) {
        fail (base::close_reason::frame_malformed, "a frame header of the handshake is malformed");
        return false;
    }
    if (!head_acceptable ())
        return false;
    const std::size_t whole = head_.header_bytes + static_cast<std::size_t> (head_.body_size);
    take (whole - frame_.size ());
    return frame_.size () == whole;
}

// Refuses a frame by its header alone, before its body is kept.
bool session::head_acceptable ()
{
    if (stage_ == stage::identity) {
        // Whatever is not ZMTP at all (HTTP, TLS, SSH) lands here, as an
        // unversioned peer, and has more than zero in the place of the flags.
        if (framing_ == framing::zmtp_1_0 && frame_[head_.header_bytes - 1u] != std::byte{0})
            fail (base::close_reason::greeting_malformed, "the peer does not speak ZMTP");
        else if (head_.more || (may_be_ungreeted () && head_.command) || head_.body_size > identity_bytes_max)
            fail (base::close_reason::identity_malformed, "the peer's identity frame is malformed");
    } else if (!head_.command) {
        fail (base::close_reason::data_before_ready, "the peer sent a message before READY");
    } else if (head_.body_size > command_bytes_max_) {
        fail (base::close_reason::limit_reached, "a command of the handshake is too large");
    }
    return stage_ != stage::failed;
}

void session::identity_complete ()
{
    const bytes_view body = bytes_view (frame_).subspan (head_.header_bytes);
    if (!take_identity (base::as_text (body)))
        return;
    frame_ = {};
    stage_ = stage::ready;
}

void session::command_complete ()
{
    const bytes_view body = bytes_view (frame_).subspan (head_.header_bytes);
    const command received = parse_command (body);
    if (received.kind == command_kind::malformed) {
        fail (base::close_reason::command_malformed, "a command of the handshake is malformed");
    } else if (received.kind == command_kind::error) {
        error_received (received.data);
    } else if (speaks_mechanism ()) {
        const mechanism_step step = mechanism_->hear (body, output_);
        frame_.clear ();
        command_bytes_max_ = config_.limits.command_bytes_max;
        follow (step);
    } else if (received.kind == command_kind::ready) {
        ready_received (received.data);
    } else {
        fail (base::close_reason::command_unexpected, "the peer sent another command before READY");
    }
}

void session::error_received (bytes_view words)
{
    const std::string clean = printable (words);
    const int status = status_said (clean);
    fail (status != 0 ? base::close_reason::authentication_failed : base::close_reason::refused_by_peer,
          clean);
    refused_status_ = status;
}

// What the mechanism answered.
void session::follow (mechanism_step step)
{
    switch (step) {
    case mechanism_step::go_on:
        return;
    case mechanism_step::ask:
        asking_ = true;
        stage_ = stage::verdict;
        return;
    case mechanism_step::failed:
        fail (mechanism_->why ().reason, mechanism_->why ().text);
        return;
    case mechanism_step::properties:
        if (!take_properties (mechanism_->properties ()))
            return;
        ready_at_ = output_.size ();
        ready_is_last_ = mechanism_->finish (output_);
        frame_ = {};
        stage_ = stage::ready;
        return;
    }
}

void session::ready_received (bytes_view properties)
{
    if (!take_properties (properties))
        return;
    frame_ = {};
    if (asking_) {
        stage_ = stage::verdict;
        return;
    }
    if (config_.order == ready_order::after_peer)
        queue_ready ();
    stage_ = stage::ready;
}

bool session::take_properties (bytes_view properties)
{
    if (!metadata_.parse (properties, config_.limits.properties_max)) {
        fail (base::close_reason::metadata_malformed, "the peer's READY is malformed");
        return false;
    }
    const std::string *type = metadata_.find (property_socket_type);
    if (type == nullptr) {
        fail (base::close_reason::metadata_malformed, "the peer's READY names no socket type");
        return false;
    }
    if (!take_socket_type (socket_type_from_name (*type)))
        return false;
    if (may_be_ungreeted () && ungreeted_ && metadata_.find (newer_property) != nullptr)
        minor_ = 1;
    const std::string *identity = metadata_.find (property_identity);
    return identity == nullptr || take_identity (*identity);
}

// --- who is let in -------------------------------------------------------------

const credentials &session::credentials_shown () const noexcept
{
    return mechanism_ != nullptr ? mechanism_->shown () : null_shown_;
}

session_status session::admit () noexcept
try {
    if (!asking_ || stage_ == stage::failed)
        return status ();
    asking_ = false;
    const bool peer_is_ready = stage_ == stage::verdict;
    if (mechanism_ != nullptr) {
        stage_ = stage::command;
        follow (mechanism_->admit (output_));
    } else if (peer_is_ready || config_.order == ready_order::at_once) {
        queue_ready ();
        stage_ = peer_is_ready ? stage::ready : stage::command;
    }
    return status ();
} catch (const std::bad_alloc &) {
    out_of_memory ();
    return status ();
}

void session::refuse (unsigned status) noexcept
try {
    if (status != zap_status_later)
        append_command_frame (output_, make_error (std::to_string (status)));
    fail (base::close_reason::authentication_failed, "the peer was not let in");
    refused_status_ = static_cast<int> (status);
} catch (const std::bad_alloc &) {
    out_of_memory ();
}

void session::give_up (base::close_reason reason, std::string_view text) noexcept
try {
    fail (reason, text);
} catch (const std::bad_alloc &) {
    out_of_memory ();
}

std::unique_ptr<sealing> session::take_sealing ()
{
    return mechanism_ == nullptr || stage_ != stage::ready ? nullptr : mechanism_->take_sealing ();
}

bool session::take_identity (std::string_view identity)
{
    if (identity.size () > identity_bytes_max) {
        fail (base::close_reason::identity_malformed, "the peer's identity is longer than 255 octets");
        return false;
    }
    peer_identity_ = identity;
    return true;
}

bool session::take_socket_type (std::optional<socket_type> type)
{
    if (type && socket_types_compatible (config_.type, *type)) {
        peer_type_ = type;
        return true;
    }
    // RFC 37: a peer of an incompatible type gets an ERROR before we close.
    if (framing_ == framing::zmtp_3)
        append_command_frame (output_, make_error ("incompatible socket type"));
    fail (base::close_reason::socket_type_incompatible, "the peer's socket type does not go with ours");
    return false;
}

void session::turn_away (base::close_reason reason, std::string_view text) noexcept
try {
    if (stage_ != stage::ready || framing_ != framing::zmtp_3)
        return;
    if (ready_is_last_) {
        output_.resize (ready_at_);
        append_command_frame (output_, make_error (text));
    }
    fail (reason, text);
} catch (const std::bad_alloc &) {
    out_of_memory ();
}

void session::fail (base::close_reason reason, std::string_view text)
{
    stage_ = stage::failed;
    reason_ = reason;
    asking_ = false;
    mechanism_.reset ();
    frame_ = {};
    metadata_ = {};
    peer_identity_ = {};
    reason_text_ = text;
}

void session::out_of_memory () noexcept
{
    stage_ = stage::failed;
    reason_ = base::close_reason::out_of_memory;
    asking_ = false;
    mechanism_.reset ();
    frame_ = {};
    metadata_ = {};
    output_.clear ();
    written_ = 0;
    // Fits a string's own buffer, so nothing is allocated.
    reason_text_ = text_no_memory;
}

}  // namespace zlink::wire
