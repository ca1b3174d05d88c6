// Keys as text.
//
// Promised: bytes come back from their text; a text that is read is the one
// text of its bytes; nothing is written past the end.
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "base/z85.hpp"

namespace zlink::fuzz {
namespace {

using base::z85_decode;
using base::z85_encode;

void check_bytes (const std::vector<std::uint8_t> &bytes)
{
    std::vector<char> text (bytes.size () / 4 * 5 + 1);
    require (z85_encode (text.data (), bytes.data (), bytes.size ()) == (bytes.size () % 4 == 0));
    if (bytes.size () % 4 != 0)
        return;
    require (text.back () == '\0');
    std::vector<std::uint8_t> back (bytes.size ());
    require (z85_decode (back.data (), {text.data (), text.size () - 1}) && back == bytes);
}

void check_text (std::string_view text)
{
    std::vector<std::uint8_t> bytes (text.size () / 5 * 4);
    if (!z85_decode (bytes.data (), text))
        return;
    std::vector<char> again (text.size () + 1);
    require (z85_encode (again.data (), bytes.data (), bytes.size ()));
    require (std::string_view (again.data (), text.size ()) == text);
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    check_bytes (std::vector<std::uint8_t> (data, data + size));
    check_text (zlink::base::as_text (input_of (data, size)));
    return 0;
}
