#include "service/spot_interest.hpp"

#include <algorithm>
#include <new>

#include "wire/spot_message.hpp"

namespace zlink::service {

using base::as_bytes;
using base::bytes_view;
using base::errc;
using base::result;

namespace {

constexpr char end_of_topic = '\0';
constexpr std::size_t chosen_first = 8;

// A pattern is known to the trie by its beginning, and there by an odd address.
const void *marked (const void *pattern) noexcept { return static_cast<const std::byte *> (pattern) + 1; }
bool is_marked (const void *who) noexcept { return (reinterpret_cast<std::uintptr_t> (who) & 1) != 0; }

bytes_view beginning_of (std::string_view pattern) noexcept
{
    return as_bytes (pattern).first (base::glob_literal_bytes (as_bytes (pattern)));
}

}  // namespace

std::string spot_wish (spot_match how, std::string_view what)
{
    std::string made (what);
    if (how != spot_match::prefix)
        made += end_of_topic;
    return made;
}

bool is_spot_wish (spot_match how, std::string_view what) noexcept
{
    if (how == spot_match::prefix && what.empty ())
        return true;
    return wire::is_spot_topic (what) && (how != spot_match::glob || base::glob_valid (as_bytes (what)));
}

spot_interest::~spot_interest () = default;

spot_interest::pattern *spot_interest::find (std::string_view text, const spot_interested &who) const noexcept
{
    const auto found = std::ranges::find_if (
      patterns_, [&] (const auto &each) { return each->who == &who && each->text == text; });
    return found == patterns_.end () ? nullptr : found->get ();
}

result<void> spot_interest::add (spot_match how, std::string_view what, spot_interested &who) noexcept
try {
    if (!is_spot_wish (how, what))
        return errc::invalid_argument;
    ++changes_;
    if (how != spot_match::glob) {
        const errc bad = trie_.add (as_bytes (spot_wish (how, what)), &who).code ();
        return bad == errc::ok ? result<void>{} : bad;
    }
    if (pattern *const known = find (what, who); known != nullptr) {
        ++known->count;
        return {};
    }
    patterns_.push_back (std::make_unique<pattern> (pattern{std::string (what), &who, 1}));
    const errc bad = trie_.add (beginning_of (what), marked (patterns_.back ().get ())).code ();
    if (bad != errc::ok) {
        patterns_.pop_back ();
        return bad;
    }
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

bool spot_interest::remove (spot_match how, std::string_view what, spot_interested &who) noexcept
try {
    ++changes_;
    if (how != spot_match::glob)
        return trie_.remove (as_bytes (spot_wish (how, what)), &who) != socket::topic_trie::removal::unknown;
    pattern *const known = find (what, who);
    if (known == nullptr)
        return false;
    if (--known->count == 0) {
        (void)trie_.remove (beginning_of (what), marked (known));
        std::erase_if (patterns_, [known] (const auto &each) { return each.get () == known; });
    }
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void spot_interest::remove_all (spot_interested &who) noexcept
{
    ++changes_;
    trie_.remove_all (&who, [] (bytes_view) {});
    std::erase_if (patterns_, [&] (const auto &each) {
        if (each->who != &who)
            return false;
        (void)trie_.remove (beginning_of (each->text), marked (each.get ()));
        return true;
    });
}

// False: there are more than there is room for.
bool spot_interest::choose_into_room (bytes_view topic_and_end) noexcept
{
    chosen_.clear ();
    ++round_;
    bool room = true;
    const bytes_view topic = topic_and_end.first (topic_and_end.size () - 1);
    (void)trie_.match (topic_and_end, [&] (const void *who) {
        auto *one = static_cast<spot_interested *> (const_cast<void *> (who));
        if (is_marked (who)) {
            const auto *const by =
              reinterpret_cast<const pattern *> (static_cast<const std::byte *> (who) - 1);
            one = base::glob_matches (as_bytes (by->text), topic) ? by->who : nullptr;
        }
        if (one == nullptr || one->chosen_in == round_)
            return;
        one->chosen_in = round_;
        room = room && chosen_.size () < chosen_.capacity ();
        if (room)
            chosen_.push_back (one);
    });
    return room;
}

bool spot_interest::choose (bytes_view topic_and_end, std::span<spot_interested *const> &chosen) noexcept
try {
    if (changes_ != chosen_at_ || base::as_text (topic_and_end) != chosen_for_) {
        chosen_for_.clear ();
        while (!choose_into_room (topic_and_end))
            chosen_.reserve (std::max (chosen_first, 2 * chosen_.capacity ()));
        chosen_for_.assign (base::as_text (topic_and_end));
        chosen_at_ = changes_;
    }
    chosen = chosen_;
    return true;
} catch (const std::bad_alloc &) {
    chosen_.clear ();
    chosen_for_.clear ();
    return false;
}

}  // namespace zlink::service
