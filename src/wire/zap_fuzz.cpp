// What an authentication handler answers: octet by octet a part's length, then
// the part.
//
// Promised: whatever it says is read or has a fault, never both; only what has
// the seven parts and a status of the RFC is read.
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/zap.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    fuzz::decisions from (fuzz::input_of (data, size));
    std::vector<base::bytes_view> parts;
    while (from.any () && parts.size () < 16)
        parts.push_back (from.take (from.octet ()));
    const wire::zap_reply read = wire::read_zap_reply (parts);
    if (read.fault != base::close_reason::none) {
        require (read.user_id.empty () && read.text.empty ());
        return 0;
    }
    require (parts.size () == wire::zap_reply_parts);
    require (read.status >= 200 && read.status <= 500 && read.status % 100 == 0);
    require (read.user_id == base::as_text (parts[5]));
    return 0;
}
