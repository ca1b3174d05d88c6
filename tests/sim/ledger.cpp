#include "sim/ledger.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace zlink::sim {

namespace {

constexpr std::uint32_t magic = 0x5A11C0DE;

struct label
{
    std::uint32_t magic;
    std::uint32_t place;
    std::uint16_t stream;
    std::uint16_t parts;
};

std::uint64_t hash (std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept
{
    std::uint64_t x = a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + c * 0x165667B19E3779F9 + 1;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 32)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

}  // namespace

std::uint16_t ledger::open_stream (std::string name, const terms &how)
{
    streams_.push_back ({std::move (name), how, {}, true});
    return static_cast<std::uint16_t> (streams_.size () - 1);
}

std::string ledger::name_of (std::uint16_t stream, std::uint32_t place) const
{
    return "message " + std::to_string (place) + " of " + streams_[stream].name;
}

ledger::item &ledger::at (std::uint16_t which, std::uint32_t place)
{
    flow &of = streams_[which];
    if (of.items.size () <= place)
        of.items.resize (place + 1);
    return of.items[place];
}

// --- content -------------------------------------------------------------------------

std::size_t ledger::part_count (std::uint16_t which, std::uint32_t place) const noexcept
{
    if (!streams_[which].how.multipart)
        return 1;
    const std::uint64_t dice = hash (which, place, 1);
    return dice % 3 == 0 ? 1 : 1 + (dice >> 8) % 5;
}

std::size_t ledger::part_size (const flow &kind, std::uint64_t dice, std::size_t part) const noexcept
{
    const std::size_t least = part == 0 ? sizeof (label) : 0;
    const std::uint64_t more = dice >> 16;
    switch (kind.how.sizes) {
    case size_class::tiny:
        return least + more % 50;
    case size_class::small:
        return dice % 4 == 0 ? least + more % 4096 : least + more % 300;
    case size_class::large:
        if (dice % 5 == 0)
            return least + more % (300 * 1024);
        return dice % 5 == 1 ? 15 * 1024 + more % 3000 : least + more % 2000;
    }
    return least;
}

std::vector<std::byte> ledger::make_part (std::uint16_t which, std::uint32_t place, std::size_t part) const
{
    std::uint64_t dice = hash (which, place, part + 2);
    std::vector<std::byte> bytes (part_size (streams_[which], dice, part));
    for (std::size_t i = 0; i < bytes.size (); ++i) {
        if (i % 64 == 0)
            dice = hash (dice, i, 0);
        bytes[i] = static_cast<std::byte> (dice >> (i % 8 * 8));
    }
    if (part == 0) {
        const label says{magic, place, which, static_cast<std::uint16_t> (part_count (which, place))};
        std::memcpy (bytes.data (), &says, sizeof says);
    }
    return bytes;
}

// --- sending -------------------------------------------------------------------------

void ledger::offered (std::uint16_t which, std::uint32_t place)
{
    item &of = at (which, place);
    if (of.what != fate::none && of.what != fate::refused)
        sim_.fail ("the scenario offers twice: " + name_of (which, place));
    of = {fate::offered, 0, sim_.now ()};
    ++offered_now_;
}

void ledger::accepted (std::uint16_t which, std::uint32_t place)
{
    item &of = at (which, place);
    --offered_now_;
    if (!streams_[which].how.may_lose)
        accepted_ += streams_[which].how.copies;
    of.what = fate::accepted;
    of.when = sim_.now ();
}

void ledger::refused (std::uint16_t which, std::uint32_t place)
{
    item &of = at (which, place);
    --offered_now_;
    if (of.got != 0)
        sim_.fail ("refused, yet delivered: " + name_of (which, place));
    of.what = fate::refused;
}

// --- receiving -----------------------------------------------------------------------

void ledger::check_parts (std::uint16_t which,
                          std::uint32_t place,
                          std::span<const std::vector<std::byte>> parts)
{
    if (parts.size () != part_count (which, place))
        sim_.fail ("torn: " + name_of (which, place) + " came in " + std::to_string (parts.size ())
                   + " parts, not " + std::to_string (part_count (which, place)));
    for (std::size_t i = 0; i < parts.size (); ++i)
        if (parts[i] != make_part (which, place, i))
            sim_.fail ("changed: part " + std::to_string (i) + " of " + name_of (which, place) + ", "
                       + std::to_string (parts[i].size ()) + " bytes");
}

void ledger::received (std::size_t by, std::span<const std::vector<std::byte>> parts, unsigned copy)
{
    label says{};
    if (parts.empty () || parts[0].size () < sizeof says)
        sim_.fail ("received something nobody sent");
    std::memcpy (&says, parts[0].data (), sizeof says);
    if (says.magic != magic || says.stream >= streams_.size ())
        sim_.fail ("received something nobody sent, of " + std::to_string (parts[0].size ()) + " bytes");
    check_parts (says.stream, says.place, parts);
    item &of = at (says.stream, says.place);
    const std::string name = name_of (says.stream, says.place);
    const auto bit = static_cast<std::uint8_t> (1U << copy);
    if ((of.got & bit) != 0)
        sim_.fail ("doubled: " + name);
    if (of.what == fate::none || of.what == fate::refused)
        sim_.fail ("refused, yet delivered: " + name);
    const bool counts = !streams_[says.stream].how.may_lose;
    if (of.what == fate::accepted && counts)
        slowest_ = std::max (slowest_, sim_.now () - of.when);
    of.got |= bit;
    received_ += counts;
    if (!streams_[says.stream].how.ordered || !is_whole (says.stream))
        return;
    const auto [last, first] = last_.try_emplace ({by, says.stream}, says.place);
    if (!first && last->second >= says.place)
        sim_.fail ("out of order: " + name + " after " + std::to_string (last->second));
    last->second = says.place;
}

void ledger::check_whole (std::uint16_t which) const
{
    const flow &of = streams_[which];
    if (!of.whole || of.how.may_lose)
        return;
    for (unsigned copy = 0; copy < of.how.copies; ++copy) {
        bool heard = !of.how.heard_late;
        for (std::uint32_t place = 0; place < of.items.size (); ++place) {
            const bool got = (of.items[place].got >> copy & 1) != 0;
            heard = heard || got;
            if (heard && !got && of.items[place].what == fate::accepted)
                sim_.fail ("lost, though nothing broke: " + name_of (which, place));
        }
    }
}

// --- of one stream -------------------------------------------------------------------

std::uint64_t ledger::accepted_of (std::uint16_t which) const noexcept
{
    const std::vector<item> &items = streams_[which].items;
    return static_cast<std::uint64_t> (std::count_if (
      items.begin (), items.end (), [] (const item &each) { return each.what == fate::accepted; }));
}

std::uint64_t ledger::received_of (std::uint16_t which, unsigned copy) const noexcept
{
    const std::vector<item> &items = streams_[which].items;
    return static_cast<std::uint64_t> (std::count_if (
      items.begin (), items.end (), [copy] (const item &each) { return (each.got >> copy & 1) != 0; }));
}

bool ledger::has_last_of (std::uint16_t which, unsigned copy) const noexcept
{
    const std::vector<item> &items = streams_[which].items;
    const auto last = std::find_if (items.rbegin (), items.rend (),
                                    [] (const item &each) { return each.what == fate::accepted; });
    return last == items.rend () || (last->got >> copy & 1) != 0;
}

std::string ledger::describe () const
{
    std::string text = "  ledger: " + std::to_string (accepted_) + " accepted, " + std::to_string (received_)
                       + " received, " + std::to_string (offered_now_) + " being offered\n";
    for (const flow &each : streams_) {
        std::size_t missing = 0;
        std::string which;
        for (std::size_t i = 0; i < each.items.size (); ++i)
            if (each.items[i].what == fate::accepted && !each.how.may_lose
                && static_cast<unsigned> (std::popcount (each.items[i].got)) < each.how.copies) {
                if (missing++ < 8)
                    which.append (" ").append (std::to_string (i));
            }
        if (missing > 0)
            text += "  " + each.name + ": " + std::to_string (missing) + " of "
                    + std::to_string (each.items.size ()) + " missing:" + which + "\n";
    }
    return text;
}

}  // namespace zlink::sim
