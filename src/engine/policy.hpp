// Who says whether a peer comes in, where that takes long or is not ours: a list
// of passwords, a function of the application's. Asked over a judge_desk.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/secret.hpp"
#include "wire/mechanism.hpp"
#include "wire/zap.hpp"

namespace zlink::engine {

// What is known of a peer. What it has shown may be a password: wiped at the end.
struct peer_claim
{
    peer_claim (std::string domain_of,
                std::string address_of,
                wire::credentials all,
                std::string subject_of = {})
      : domain (std::move (domain_of)), address (std::move (address_of)), shown (std::move (all)),
        subject (std::move (subject_of))
    {
    }
    ~peer_claim ()
    {
        for (std::string &each : shown.parts)
            base::wipe (std::as_writable_bytes (std::span (each)));
    }
    peer_claim (const peer_claim &) = delete;
    peer_claim &operator= (const peer_claim &) = delete;

    std::string domain;
    std::string address;
    wire::credentials shown;
    std::string subject;  // of a certificate that TLS has checked; empty: none
};

class policy
{
  public:
    policy () = default;
    virtual ~policy () = default;
    policy (const policy &) = delete;
    policy &operator= (const policy &) = delete;

    // Says it in `to`, which is a reply with nothing in it. On the worker's thread,
    // one call at a time for a context; may block. May throw std::bad_alloc.
    virtual void judge (const peer_claim &about, wire::zap_reply &to) const = 0;
};

// A socket's; null: there is none.
struct own_policies
{
    std::shared_ptr<const policy> passwords;  // for PLAIN
    std::shared_ptr<const policy> any;        // for all mechanisms, NULL as well
};

}  // namespace zlink::engine
