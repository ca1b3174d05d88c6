#include "tools/decode/tcp_streams.hpp"

namespace zlink::tool {

namespace {

// Sequence numbers go round; the nearer way counts.
std::int32_t distance (std::uint32_t from, std::uint32_t to) { return static_cast<std::int32_t> (to - from); }

}  // namespace

void tcp_streams::end (const flow &way, const one_way &of)
{
    with_gaps_ += of.early.empty () ? 0 : 1;
    take_ (way, of.time_ns, {});
}

void tcp_streams::take_in_order (const flow &way, one_way &of, std::uint32_t at, bytes_view octets)
{
    const std::int32_t ahead = distance (of.next, at);
    if (ahead > 0 || octets.size () <= static_cast<std::size_t> (-static_cast<std::int64_t> (ahead)))
        return;
    const bytes_view fresh = octets.subspan (static_cast<std::size_t> (-static_cast<std::int64_t> (ahead)));
    of.next += static_cast<std::uint32_t> (fresh.size ());
    take_ (way, of.time_ns, fresh);
}

void tcp_streams::take_segment (const segment &found)
{
    auto known = ways_.find (found.way);
    if (found.opens && known != ways_.end ()) {
        // The same again, or another connection between the same ends.
        if (known->second.first == found.sequence + 1)
            return;
        end (found.way, known->second);
        ways_.erase (known);
        known = ways_.end ();
    }
    const std::uint32_t start = found.sequence + (found.opens ? 1 : 0);
    if (known == ways_.end ()) {
        if (!found.opens && found.payload.empty ())
            return;
        known = ways_.emplace (found.way, one_way{start, {}, start, 0, found.time_ns}).first;
    }
    one_way &of = known->second;
    of.time_ns = found.time_ns;
    if (distance (of.next, start) > 0 && !found.payload.empty ()) {
        std::vector<std::byte> &kept = of.early[start - of.first];
        if (found.payload.size () > kept.size ()
            && of.early_bytes + found.payload.size () <= early_bytes_max) {
            of.early_bytes += found.payload.size () - kept.size ();
            kept.assign (found.payload.begin (), found.payload.end ());
        }
        if (kept.empty ())
            of.early.erase (start - of.first);
    } else
        take_in_order (found.way, of, start, found.payload);
    while (!of.early.empty () && distance (of.next, of.first + of.early.begin ()->first) <= 0) {
        const auto next = of.early.extract (of.early.begin ());
        of.early_bytes -= next.mapped ().size ();
        take_in_order (found.way, of, of.first + next.key (), next.mapped ());
    }
}

void tcp_streams::finish ()
{
    for (const auto &[way, of] : ways_)
        end (way, of);
    ways_.clear ();
}

}  // namespace zlink::tool
