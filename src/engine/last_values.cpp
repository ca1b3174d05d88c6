#include "engine/last_values.hpp"

#include <utility>

namespace zlink::engine {

using base::bytes_view;

namespace {

void drop (std::vector<base::message> &parts) noexcept
{
    for (base::message &each : parts)
        each.close ();
    parts.clear ();
}

// Memory that somebody waits to have back is not held for so long.
bool copy_part (base::message &to, const base::message &from) noexcept
{
    base::body *const held = from.shared_body ();
    const bool ours = held != nullptr && (held->size_class != base::body::adopted || held->constant ());
    if (ours) {
        held->retain ();
        to.init_body (held);
    } else if (!to.init_copy (from.view ()).ok ()) {
        return false;
    }
    to.set_more (from.more ());
    return true;
}

// Throws bad_alloc; what has been copied by then is in `to`.
bool copy_parts (std::vector<base::message> &to, std::span<const base::message> from)
{
    to.reserve (from.size ());
    for (const base::message &each : from) {
        base::message copy;
        if (!copy_part (copy, each))
            return false;
        to.push_back (copy);
    }
    return true;
}

std::size_t kept_bytes_of (std::span<const base::message> parts) noexcept
{
    std::size_t bytes = parts.front ().size ();  // the topic stands here once more
    for (const base::message &each : parts)
        bytes += sizeof each + each.size ();
    return bytes;
}

}  // namespace

last_values::~last_values ()
{
    for (auto &[topic, each] : all_)
        drop (each.parts);
}

void last_values::forget (values::iterator which) noexcept
{
    if (which == all_.end ())
        return;
    bytes_ -= which->second.bytes;
    drop (which->second.parts);
    all_.erase (which);
}

void last_values::forget (bytes_view topic) noexcept { forget (all_.find (base::as_text (topic))); }

void last_values::set_limits (std::size_t values_max, std::size_t bytes_max) noexcept
{
    values_max_ = values_max;
    bytes_max_ = bytes_max;
    while (all_.size () > values_max_ || bytes_ > bytes_max_)
        forget (std::prev (all_.end ()));
}

last_values::outcome last_values::keep (std::span<const base::message> parts) noexcept
{
    const std::string_view topic = base::as_text (parts.front ().view ());
    auto known = all_.find (topic);
    const bool fresh = known == all_.end ();
    const std::size_t bytes = kept_bytes_of (parts);
    const std::size_t of_others = bytes_ - (fresh ? 0 : known->second.bytes);
    if ((fresh && all_.size () >= values_max_) || of_others + bytes > bytes_max_) {
        forget (known);
        return outcome::full;
    }
    try {
        bool copied = copy_parts (spare_, parts);
        if (copied && fresh)
            known = all_.try_emplace (std::string (topic)).first;
        if (copied) {
            std::swap (known->second.parts, spare_);
            known->second.bytes = bytes;
            known->second.number = ++last_number_;
            bytes_ = of_others + bytes;
            drop (spare_);
            return outcome::kept;
        }
    } catch (const std::bad_alloc &) {
        // As when a body could not be copied.
    }
    drop (spare_);
    forget (known);
    return outcome::no_memory;
}

}  // namespace zlink::engine
