// A mask over any octets. Of the input four octets are the key, one is the phase,
// one says where a second run cuts; the rest is masked.
//
// Promised: every octet is combined with the key's of its place; in pieces as in
// one; a copy as in place; twice is not at all.
#include <algorithm>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/ws_mask.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_span;
using base::bytes_view;

void check (bytes_view in, wire::ws_mask_key key, std::uint64_t phase, std::size_t cut)
{
    std::vector<std::byte> whole (in.begin (), in.end ());
    wire::ws_mask (whole, key, phase);
    for (std::size_t i = 0; i < in.size (); ++i)
        require (whole[i] == (in[i] ^ key[(phase + i) % key.size ()]));

    std::vector<std::byte> pieces (in.begin (), in.end ());
    cut = std::min (cut, in.size ());
    wire::ws_mask (bytes_span (pieces).first (cut), key, phase);
    wire::ws_mask (bytes_span (pieces).subspan (cut), key, phase + cut);
    require (pieces == whole);

    std::vector<std::byte> copy (in.size ());
    wire::ws_mask_copy (copy.data (), in, key, phase);
    require (copy == whole);
    wire::ws_mask (copy, key, phase);
    require (std::equal (copy.begin (), copy.end (), in.begin (), in.end ()));
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    decisions from (input_of (data, size));
    zlink::wire::ws_mask_key key;
    for (std::byte &octet : key)
        octet = static_cast<std::byte> (from.octet ());
    const unsigned phase = from.octet ();
    const std::size_t cut = from.octet ();
    check (from.rest (), key, phase, cut);
    return 0;
}
