// Seam: where warnings go, for people to read.
//
// Thread rule: any thread, with no lock of ours held. take() returns soon: it
// may be called on a background thread that others wait for.
#pragma once

#include <cstdint>

namespace zlink::base {

enum class severity : std::uint8_t
{
    warning = 1,  // something was given up or turned away; all else goes on
    error = 2,    // something cannot be done until somebody helps
};

// Both texts end with NUL, have no end of line, and are valid during the call.
struct log_line
{
    severity weight = severity::warning;
    const char *text = "";
    const char *about = "";  // an endpoint, with the peer behind it where there is one
};

class log_sink
{
  public:
    virtual ~log_sink () = default;
    virtual void take (const log_line &line) noexcept = 0;
};

}  // namespace zlink::base
