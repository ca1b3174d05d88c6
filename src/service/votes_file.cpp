#include "service/votes_file.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/fnv.hpp"

namespace zlink::service {

namespace {

constexpr std::string_view mark = "ZLVOTES\x01";
constexpr std::uint32_t flag_clean = 1;
constexpr std::uint8_t flag_running = 1;
constexpr std::size_t head_bytes = 8 + 3 * sizeof (std::uint32_t);
constexpr std::size_t sum_bytes = sizeof (std::uint64_t);
// Of a vote, without its topic.
constexpr std::size_t vote_bytes = 1 + 4 + 3 * 8 + 1 + 3 * 8;
constexpr std::size_t topic_bytes_max = 255;
static_assert (head_bytes + sum_bytes + granted_partitions_max * (vote_bytes + topic_bytes_max)
               < votes_bytes_max);

template <class U> void append (std::string &to, U value)
{
    std::byte octets[sizeof (U)];
    base::store_be (octets, value);
    to += base::as_text (octets);
}

// Takes numbers and texts from the front; of a text that ends too early it takes nothing.
struct cursor
{
    std::string_view left;
    bool cut = false;

    std::string_view text (std::size_t size) noexcept
    {
        cut = cut || size > left.size ();
        if (cut)
            return {};
        const std::string_view found = left.substr (0, size);
        left.remove_prefix (size);
        return found;
    }
    template <class U> U number () noexcept
    {
        const std::string_view octets = text (sizeof (U));
        return cut ? U{} : base::load_be<U> (base::as_bytes (octets).data ());
    }
};

using read_vote = std::pair<partition_ref, grant_record>;

read_vote next_vote (cursor &from) noexcept
{
    read_vote made;
    made.first.topic = from.text (from.number<std::uint8_t> ());
    made.first.partition = from.number<std::uint32_t> ();
    made.second.highest.number = from.number<std::uint64_t> ();
    made.second.highest.id = from.number<std::uint64_t> ();
    made.second.holder = from.number<std::uint64_t> ();
    made.second.running = (from.number<std::uint8_t> () & flag_running) != 0;
    made.second.end.of.number = from.number<std::uint64_t> ();
    made.second.end.of.id = from.number<std::uint64_t> ();
    made.second.end.last_sequence = from.number<std::uint64_t> ();
    return made;
}

bool is_before (const partition_ref &one, const partition_ref &other) noexcept
{
    return one.topic != other.topic ? one.topic < other.topic : one.partition < other.partition;
}

// Null: it is what was written once, of this version.
const char *why_not_whole (std::string_view text) noexcept
{
    if (text.size () < head_bytes + sum_bytes)
        return "it is cut off";
    if (!text.starts_with (mark.substr (0, mark.size () - 1)))
        return "it is no file of votes";
    if (!text.starts_with (mark))
        return "it is of another version";
    cursor sum{text.substr (text.size () - sum_bytes)};
    text.remove_suffix (sum_bytes);
    return sum.number<std::uint64_t> () == base::fnv1a (text)
             ? nullptr
             : "it is cut off or damaged: its check sum is another";
}

}  // namespace

std::string votes_text (const grant_voter &voter, base::time_ns now, bool clean)
{
    std::string made (mark);
    append<std::uint32_t> (made, clean ? flag_clean : 0);
    append (made, static_cast<std::uint32_t> (voter.lease () / base::ns_per_ms));
    append (made, static_cast<std::uint32_t> (voter.size ()));
    voter.for_each (now, [&made] (const partition_ref &which, const grant_record &record) {
        append (made, static_cast<std::uint8_t> (which.topic.size ()));
        made += which.topic;
        append (made, which.partition);
        append (made, record.highest.number);
        append (made, record.highest.id);
        append (made, record.holder);
        append<std::uint8_t> (made, record.running ? flag_running : 0);
        append (made, record.end.of.number);
        append (made, record.end.of.id);
        append (made, record.end.last_sequence);
    });
    append (made, base::fnv1a (made));
    return made;
}

const char *read_votes (std::string_view text, grant_voter &to)
{
    if (const char *const why = why_not_whole (text); why != nullptr)
        return why;
    cursor from{text.substr (mark.size (), text.size () - mark.size () - sum_bytes)};
    const auto flags = from.number<std::uint32_t> ();
    const base::time_ns lease = from.number<std::uint32_t> () * base::ns_per_ms;
    const auto count = from.number<std::uint32_t> ();
    std::vector<read_vote> all;
    while (!from.cut && !from.left.empty ()) {
        all.push_back (next_vote (from));
        const partition_ref &last = all.back ().first;
        if (last.topic.empty () || (all.size () > 1 && !is_before (all[all.size () - 2].first, last)))
            return "its votes are not in order";
    }
    if (from.cut || all.size () != count || count > granted_partitions_max || lease > grant_lease_max_ns)
        return "its numbers do not fit";
    to.lease_was (lease);
    for (const auto &[which, record] : all)
        to.restore (which, record);
    if ((flags & flag_clean) != 0)
        to.ended_cleanly ();
    return nullptr;
}

}  // namespace zlink::service
