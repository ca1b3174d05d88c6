// Batches of messages laid out in one buffer, over an inproc link. Sizes and
// room are the input's.
//
// Promised: what is sent comes, in order, each with its size and its bytes;
// sizes beyond the buffer are refused and send nothing; no more is written than
// there is room for.
#include <algorithm>
#include <cerrno>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "api/test_sockets.hpp"
#include "base/fuzz_target.hpp"

namespace zlink::fuzz {
namespace {

constexpr std::size_t batch_max = 16;
constexpr int dont_wait = 1;

std::vector<std::uint32_t> sizes_of (decisions &from)
{
    std::vector<std::uint32_t> sizes (from.octet () % batch_max);
    for (std::uint32_t &each : sizes) {
        each = from.octet ();
        if (each == 255)
            each = UINT32_MAX - from.octet ();
    }
    return sizes;
}

void send (void *to, decisions &from, std::deque<std::string> &under_way)
{
    const std::vector<std::uint32_t> sizes = sizes_of (from);
    const base::bytes_view bytes = from.take (from.octet () * 4);
    const std::uint64_t total = std::accumulate (sizes.begin (), sizes.end (), std::uint64_t{0});
    const int sent =
      api::send_packed (to, bytes.data (), bytes.size (), sizes.data (), sizes.size (), dont_wait);
    if (sizes.empty () || total > bytes.size ()) {
        require (sent < 0 && errno == EINVAL);
        return;
    }
    require (sent < 0 ? errno == EAGAIN : sent > 0 && static_cast<std::size_t> (sent) <= sizes.size ());
    std::size_t at = 0;
    for (int i = 0; i < sent; ++i) {
        under_way.emplace_back (base::as_text (bytes.subspan (at, sizes[i])));
        at += sizes[i];
    }
}

void receive (void *at, decisions &from, std::deque<std::string> &under_way)
{
    std::vector<std::byte> buffer (from.octet () * 2);
    std::vector<std::uint32_t> sizes (1 + from.octet () % batch_max);
    const int got =
      api::receive_packed (at, buffer.data (), buffer.size (), sizes.data (), sizes.size (), dont_wait);
    if (got < 0) {
        require (under_way.empty () ? errno == EAGAIN
                                    : errno == EMSGSIZE && under_way.front ().size () > buffer.size ());
        return;
    }
    require (got > 0 && static_cast<std::size_t> (got) <= std::min (sizes.size (), under_way.size ()));
    base::bytes_view rest = buffer;
    for (int i = 0; i < got; ++i) {
        require (sizes[i] == under_way.front ().size ()
                 && base::as_text (rest.first (sizes[i])) == under_way.front ());
        rest = rest.subspan (sizes[i]);
        under_way.pop_front ();
    }
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    using zlink::api::test_sockets;
    test_sockets ours;
    void *const one = ours.open_bound (test_sockets::pair_type, "inproc://link");
    void *const other = ours.open_connected (test_sockets::pair_type, "inproc://link");
    require (one != nullptr && other != nullptr);
    std::deque<std::string> under_way;
    for (decisions from (input_of (data, size)); from.any ();)
        from.octet () % 2 == 0 ? send (one, from, under_way) : receive (other, from, under_way);
    return 0;
}
