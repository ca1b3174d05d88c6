// Captures and what is in them.
//
// Promised: any file is read to its end, lines are printable, what waits for its turn
// stays within its limit, and octets tell the same however they come in pieces.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "tools/decode/capture.hpp"
#include "tools/decode/hex_dump.hpp"
#include "tools/decode/tcp_streams.hpp"
#include "tools/decode/zmtp_trace.hpp"

namespace zlink::fuzz {
namespace {

using namespace tool;

void check_line (const std::string &line)
{
    require (!line.empty () && std::all_of (line.begin (), line.end (), [] (char each) {
        return each >= ' ' && each <= '~';
    }));
}

std::vector<std::string> told_of (base::bytes_view octets, std::size_t piece_bytes)
{
    std::vector<std::string> lines;
    zmtp_trace trace ([&] (const std::string &line) {
        check_line (line);
        lines.push_back (line);
    });
    for (; !octets.empty (); octets = octets.subspan (std::min (piece_bytes, octets.size ())))
        trace.feed (octets.first (std::min (piece_bytes, octets.size ())));
    trace.finish ();
    return lines;
}

void check_capture (base::bytes_view file)
{
    capture_reader reader (file);
    std::map<flow, zmtp_trace> traces;
    std::size_t taken = 0;
    tcp_streams streams ([&] (const flow &way, std::int64_t, base::bytes_view octets) {
        taken += octets.size ();
        const auto at = traces.try_emplace (way, check_line).first;
        if (octets.empty ()) {
            at->second.finish ();
            traces.erase (at);
        } else
            at->second.feed (octets);
    });
    for (segment found; reader.next (found);)
        streams.take_segment (found);
    streams.finish ();
    require (traces.empty ());
    require (taken <= file.size ());
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    const zlink::base::bytes_view octets = input_of (data, size);
    check_capture (octets);
    const std::vector<std::string> whole = told_of (octets, size + 1);
    require (whole == told_of (octets, 1));
    require (whole == told_of (octets, 7));
    std::vector<std::byte> read;
    std::size_t bad_line = 0;
    (void)zlink::tool::read_hex_dump ({reinterpret_cast<const char *> (data), size}, read, bad_line);
    require (read.size () <= size / 2);
    return 0;
}
