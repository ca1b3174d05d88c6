// What a socket's options say about TLS, and about WebSocket: a plain value, made
// anew by whoever changes it, as endpoints keep the one of their day. Secrets are
// overwritten at its end.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/secret.hpp"

namespace zlink::crypto {

struct web_settings
{
    std::string host;     // whom a dialer asks; empty: as in its endpoint
    std::string origin;   // the page a dialer says it is from; empty: none
    std::string origins;  // the pages that a listener lets in, with commas between; empty: all
    std::vector<std::pair<std::string, std::string>> headers;  // said besides
};

// What somebody made of settings and may give to others who have the same, as long as
// it lives. A copy has none. Any thread.
class tls_memo
{
  public:
    static constexpr std::size_t places = 2;

    tls_memo () noexcept = default;
    tls_memo (const tls_memo &) noexcept {}
    tls_memo &operator= (const tls_memo &) = delete;
    [[nodiscard]] std::shared_ptr<void> find (std::size_t place) const noexcept
    {
        const base::locked hold (lock_);
        return made_[place].lock ();
    }
    void keep (std::size_t place, const std::shared_ptr<void> &what) const noexcept
    {
        std::weak_ptr<void> one = what;
        const base::locked hold (lock_);
        made_[place].swap (one);
    }

  private:
    mutable base::exchange_lock lock_;
    mutable std::array<std::weak_ptr<void>, places> made_;
};

// The newest of what was made of anybody's settings, for those who have said the
// same by themselves. Any thread.
class tls_shelf
{
  public:
    static constexpr std::size_t places = 8;
    void keep (const std::shared_ptr<void> &what) noexcept
    {
        std::weak_ptr<void> one = what;
        const base::locked hold (lock_);
        made_[next_++ % places].swap (one);
    }
    [[nodiscard]] std::shared_ptr<void> look (std::size_t place) const noexcept
    {
        const base::locked hold (lock_);
        return made_[place].lock ();
    }

  private:
    mutable base::exchange_lock lock_;
    std::array<std::weak_ptr<void>, places> made_;
    std::size_t next_ = 0;
};

struct tls_settings
{
    tls_settings () = default;
    tls_settings (const tls_settings &) = default;
    tls_settings &operator= (const tls_settings &) = delete;
    ~tls_settings ()
    {
        for (std::string *const each : {&certificate, &key, &passphrase})
            base::wipe (std::as_writable_bytes (std::span (*each)));
    }

    // Each a path, or PEM as text: "-----BEGIN" decides. A key may stand behind its
    // certificate.
    std::string certificate;
    std::string key;
    std::string authority;
    std::string passphrase;
    std::string host;       // whom a dialer expects; empty: as in its endpoint
    std::string protocols;  // ALPN, best first, with commas between; empty: none
    bool verify = true;
    bool trust_system = true;
    bool trust_system_said = false;  // what trust_system is was asked for
    bool require_client_certificate = false;
    web_settings web{};
    tls_memo memo{};
};

}  // namespace zlink::crypto
