// Our side of an endpoint's TLS: who we are and whom we expect, for each of its
// streams. Made by bind or connect, which fail at once where something does not fit.
// What takes room and time, certificates and whom to trust, is shared by all endpoints
// of the same settings that are made soon after one another.
//
// Certificates may be replaced while the endpoint lives: when a stream is about to
// be made their files are looked at again, at most once a second, on the thread for
// what takes long. What has changed and fits holds for the streams to come; those
// that are there keep theirs.
// Thread rule: any thread; no lock held.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/world.hpp"
#include "crypto/tls_context.hpp"
#include "crypto/tls_settings.hpp"
#include "engine/tls_stream.hpp"

namespace zlink::engine {

class context;

class tls_side
{
  public:
    using settings_ptr = std::shared_ptr<const crypto::tls_settings>;

    struct made
    {
        std::shared_ptr<tls_side> side;
        crypto::tls_error error{};
    };
    // Reads files and computes some milliseconds. settings may be null: nothing was
    // said. host: of the endpoint that is dialled, without brackets. May throw bad_alloc.
    [[nodiscard]] static made
    make (context &of, crypto::tls_role role, settings_ptr settings, std::string_view host);

    // For one more stream. Throws bad_alloc.
    [[nodiscard]] tls_terms terms (std::int64_t now_s);

    // A stream is about to be made: has anything changed? side may be null. place: the
    // endpoint, for the log.
    static void
    refresh (const std::shared_ptr<tls_side> &side, base::world &around, const std::string &place) noexcept;

  private:
    class papers;
    tls_side () = default;

    // Constant.
    std::string host_;
    std::shared_ptr<tls_ticket_box> tickets_;  // of a dialer
    std::shared_ptr<papers> papers_;
};

// What an endpoint's streams are put into, as its options were when it was made.
struct stream_layering
{
    std::shared_ptr<tls_side> tls;    // null: no TLS
    tls_side::settings_ptr settings;  // null: nothing was said
};

// How a user is told: the endpoint, and what is wrong with which file. Long paths
// lose their beginning. Throws bad_alloc.
[[nodiscard]] std::string tls_complaint (std::string_view place, const crypto::tls_error &error);

// The errno that comes nearest.
[[nodiscard]] base::error tls_answer (const crypto::tls_error &error) noexcept;

}  // namespace zlink::engine
