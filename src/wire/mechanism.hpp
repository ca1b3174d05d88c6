// PLAIN and CURVE (RFC 24, 25, 26): the commands between the greeting and the
// end of the handshake, from either side. The session collects commands, judges
// the peer's properties and asks about its credentials; the mechanism reads and
// writes.
//
//   begin, then hear each command, until it answers properties. After ask comes
//   admit, once somebody has said yes. When the peer's properties are good,
//   finish; then the handshake is over.
//
// What a call has to say is appended to `out`, as whole frames. Nothing is kept
// of what was heard but what contracts below name. Memory that is out throws
// std::bad_alloc. One thread at a time. The bodies here are those of one that says
// nothing and takes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/entropy.hpp"
#include "base/reason.hpp"
#include "wire/sealing.hpp"
#include "wire/security.hpp"

namespace zlink::wire {

using base::bytes_view;

// What a peer has shown, for whoever judges it (RFC 27).
struct credentials
{
    std::string_view mechanism = "NULL";
    std::vector<std::string> parts{};  // PLAIN: name and password; CURVE: the public key
};

enum class mechanism_step : std::uint8_t
{
    go_on,
    ask,         // about shown ()
    properties,  // properties () are the peer's
    failed,      // why ()
};

class mechanism
{
  public:
    virtual ~mechanism () = default;

    virtual mechanism_step begin (std::vector<std::byte> &) { return mechanism_step::go_on; }
    virtual mechanism_step hear (bytes_view, std::vector<std::byte> &)
    {
        return fail (base::close_reason::command_unexpected, "nothing is to be said");
    }
    virtual mechanism_step admit (std::vector<std::byte> &) { return mechanism_step::go_on; }
    // True: the last word is ours, READY.
    virtual bool finish (std::vector<std::byte> &) { return false; }
    // Behind finish: how traffic is sealed; null: it is not.
    [[nodiscard]] virtual std::unique_ptr<sealing> take_sealing () { return nullptr; }

    // Behind ask, until finish.
    [[nodiscard]] const credentials &shown () const noexcept { return shown_; }
    // Until the next hear or finish.
    [[nodiscard]] bytes_view properties () const noexcept { return properties_; }

    struct failure
    {
        base::close_reason reason = base::close_reason::none;
        const char *text = "";
    };
    [[nodiscard]] const failure &why () const noexcept { return why_; }

  protected:
    mechanism_step fail (base::close_reason reason, const char *text) noexcept
    {
        why_ = {reason, text};
        return mechanism_step::failed;
    }

    credentials shown_;
    std::vector<std::byte> properties_;
    failure why_;
};

// What command a body begins with, and what follows the name.
[[nodiscard]] bool is_command (bytes_view body, std::string_view name, bytes_view &data) noexcept;
// Appends the frame of a command whose data is there whole.
void append_command (std::vector<std::byte> &out, std::string_view name, bytes_view data);

[[nodiscard]] std::unique_ptr<mechanism> make_plain (const security &wish, std::vector<std::byte> properties);
// Null where there are no random numbers to be had, or no CURVE in this library.
[[nodiscard]] std::unique_ptr<mechanism>
make_curve (const security &wish, base::entropy *secrets, std::vector<std::byte> properties);

// The one that is wished for, which is not NULL; null: it cannot be.
[[nodiscard]] std::unique_ptr<mechanism>
make_mechanism (const security &wish, base::entropy *secrets, std::vector<std::byte> properties);
// Whether the library has it. NULL is always there.
[[nodiscard]] bool has_mechanism (mechanism_kind kind) noexcept;

}  // namespace zlink::wire
