// PLAIN (RFC 24): a name and a password, as they are. Where libzmq and the RFC
// are silent or differ, as libzmq.
//
//   HELLO      name length (1 octet), name, password length (1 octet), password
//   WELCOME    nothing
//   INITIATE   the client's properties
//   READY      the server's properties
#include <algorithm>
#include <utility>

#include "base/appending.hpp"
#include "wire/limits.hpp"
#include "wire/mechanism.hpp"

namespace zlink::wire {

namespace {

void append_brief (std::vector<std::byte> &out, std::string_view text)
{
    const bytes_view bytes = base::as_bytes (text.substr (0, name_bytes_max));
    out.push_back (static_cast<std::byte> (bytes.size ()));
    base::append (out, bytes);
}

// False: the length points past the end.
bool take_brief (bytes_view &from, std::string &to)
{
    if (from.empty () || from.size () - 1 < static_cast<std::size_t> (from[0]))
        return false;
    const auto size = static_cast<std::size_t> (from[0]);
    to = base::as_text (from.subspan (1, size));
    from = from.subspan (1 + size);
    return true;
}

class plain_client final : public mechanism
{
  public:
    plain_client (const security &wish, std::vector<std::byte> properties)
      : username_ (wish.username), password_ (wish.password), own_ (std::move (properties))
    {
    }
    mechanism_step begin (std::vector<std::byte> &out) override
    {
        std::vector<std::byte> data;
        append_brief (data, username_);
        append_brief (data, password_);
        append_command (out, "HELLO", data);
        return mechanism_step::go_on;
    }
    mechanism_step hear (bytes_view body, std::vector<std::byte> &out) override
    {
        bytes_view data;
        if (!welcome_ && is_command (body, "WELCOME", data)) {
            if (!data.empty ())
                return fail (base::close_reason::welcome_malformed, "the peer's WELCOME says more than that");
            welcome_ = true;
            append_command (out, "INITIATE", own_);
            return mechanism_step::go_on;
        }
        if (welcome_ && is_command (body, "READY", data)) {
            properties_.assign (data.begin (), data.end ());
            return mechanism_step::properties;
        }
        return fail (base::close_reason::command_unexpected, "not what PLAIN's server has to say now");
    }

  private:
    std::string username_;
    std::string password_;
    std::vector<std::byte> own_;
    bool welcome_ = false;
};

class plain_server final : public mechanism
{
  public:
    explicit plain_server (std::vector<std::byte> properties) : own_ (std::move (properties)) {}
    mechanism_step hear (bytes_view body, std::vector<std::byte> &) override
    {
        bytes_view data;
        if (!admitted_ && is_command (body, "HELLO", data)) {
            shown_ = {mechanism_name (mechanism_kind::plain), {{}, {}}};
            const bool read = take_brief (data, shown_.parts[0]) && take_brief (data, shown_.parts[1]);
            if (read && data.empty ())
                return mechanism_step::ask;
            return fail (base::close_reason::hello_malformed, "the peer's HELLO is malformed");
        }
        if (admitted_ && is_command (body, "INITIATE", data)) {
            properties_.assign (data.begin (), data.end ());
            return mechanism_step::properties;
        }
        return fail (base::close_reason::command_unexpected, "not what PLAIN's client has to say now");
    }
    mechanism_step admit (std::vector<std::byte> &out) override
    {
        admitted_ = true;
        append_command (out, "WELCOME", {});
        return mechanism_step::go_on;
    }
    bool finish (std::vector<std::byte> &out) override
    {
        append_command (out, "READY", own_);
        return true;
    }

  private:
    std::vector<std::byte> own_;
    bool admitted_ = false;
};

}  // namespace

std::unique_ptr<mechanism> make_plain (const security &wish, std::vector<std::byte> properties)
{
    if (wish.as_server)
        return std::make_unique<plain_server> (std::move (properties));
    return std::make_unique<plain_client> (wish, std::move (properties));
}

}  // namespace zlink::wire
