// What a client says to a SOCKS5 proxy before the proxy connects it (RFC 1928,
// RFC 1929): methods, user and password where the proxy asks for them, and the
// request. Pure: octets in, octets out.
//
// Use: construct, write output(), read no more than wanted() octets and feed
// them, until it answers done or failed. What stands behind the proxy's last
// octet is the far peer's: whoever reads no more than wanted() leaves it there.
//
// Time-outs are the caller's. One thread at a time. The constructor throws
// bad_alloc, nothing else does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/reason.hpp"

namespace zlink::wire {

// Each stands behind one octet of length.
inline constexpr std::size_t socks_text_bytes_max = 255;

struct socks_request
{
    // A number of either family, or a name, which the proxy looks up; 1 to
    // socks_text_bytes_max octets.
    std::string_view host;
    std::uint16_t port = 0;
    std::string_view user;  // empty: we have none to show; else at most socks_text_bytes_max octets
    std::string_view password;
};

enum class socks_status : std::uint8_t
{
    need_more,
    done,
    failed,
};

class socks_client
{
  public:
    // What is too long is cut: the caller has checked it.
    explicit socks_client (const socks_request &what);

    [[nodiscard]] base::bytes_view output () const noexcept
    {
        return base::bytes_view (output_).subspan (written_);
    }
    void output_drained (std::size_t size_bytes) noexcept { written_ += size_bytes; }

    // How many octets the next answer of the proxy still has at least; 0 when
    // done or failed.
    [[nodiscard]] std::size_t wanted () const noexcept { return goal_ - size_; }
    // At most wanted() octets.
    socks_status feed (base::bytes_view in) noexcept;
    [[nodiscard]] socks_status status () const noexcept;

    // After failed: proxy_refused, proxy_authentication or proxy_malformed, and
    // what the proxy gave as its reason (RFC 1928, section 6; 0: none).
    [[nodiscard]] base::close_reason reason () const noexcept { return reason_; }
    [[nodiscard]] std::uint8_t reply () const noexcept { return reply_; }

  private:
    enum class stage : std::uint8_t
    {
        method,
        authentication,
        reply,
        done,
        failed,
    };

    void advance () noexcept;
    void method_chosen () noexcept;
    void user_judged () noexcept;
    void reply_grew () noexcept;
    void expect (stage next, std::size_t octets) noexcept;
    void say (std::vector<std::byte> &what) noexcept;
    void fail (base::close_reason why) noexcept;
    [[nodiscard]] unsigned at (std::size_t index) const noexcept
    {
        return std::to_integer<unsigned> (have_[index]);
    }

    std::vector<std::byte> output_;
    std::size_t written_ = 0;
    std::vector<std::byte> credentials_;  // to be said when asked for; empty: never offered
    std::vector<std::byte> request_;
    std::array<std::byte, 4 + 1 + socks_text_bytes_max + 2> have_{};  // of one answer
    std::size_t size_ = 0;
    std::size_t goal_ = 0;
    stage stage_ = stage::method;
    base::close_reason reason_ = base::close_reason::none;
    std::uint8_t reply_ = 0;
};

}  // namespace zlink::wire
