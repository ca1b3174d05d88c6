#include "engine/topic_trie.hpp"

#include <algorithm>
#include <new>
#include <string_view>

namespace zlink::engine {

using base::bytes_view;
using base::errc;
using base::result;

namespace {

std::string_view text_view (bytes_view bytes) noexcept
{
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

unsigned char first_of (std::string_view label) noexcept
{
    return static_cast<unsigned char> (label.front ());
}

std::size_t common_bytes (std::string_view one, std::string_view other) noexcept
{
    const std::size_t shorter = std::min (one.size (), other.size ());
    const auto differ =
      std::mismatch (one.begin (), one.begin () + static_cast<std::ptrdiff_t> (shorter), other.begin ());
    return static_cast<std::size_t> (differ.first - one.begin ());
}

}  // namespace

// Where the child that begins with this byte is, or would be.
std::size_t topic_trie::place_of (const node &in, unsigned char first) noexcept
{
    const auto found = std::lower_bound (
      in.children.begin (), in.children.end (), first,
      [] (const std::unique_ptr<node> &child, unsigned char byte) { return first_of (child->label) < byte; });
    return static_cast<std::size_t> (found - in.children.begin ());
}

// The child whose whole label the text begins with.
const topic_trie::node *topic_trie::step (const node &from, bytes_view text) noexcept
{
    if (text.empty () || from.children.empty ())
        return nullptr;
    const std::size_t place = place_of (from, std::to_integer<unsigned char> (text.front ()));
    if (place == from.children.size ())
        return nullptr;
    const node &child = *from.children[place];
    return text_view (text).starts_with (child.label) ? &child : nullptr;
}

bool topic_trie::matches (bytes_view text) const noexcept
{
    const node *at = &root_;
    while (at != nullptr && at->holders.empty ()) {
        at = step (*at, text);
        if (at != nullptr)
            text = text.subspan (at->label.size ());
    }
    return at != nullptr;
}

// --- adding ------------------------------------------------------------------

// The node between the child and its parent, at so many bytes of its label.
topic_trie::node *topic_trie::split (node &child, std::size_t at)
{
    node &parent = *child.parent;
    auto upper = std::make_unique<node> ();
    upper->label = child.label.substr (0, at);
    upper->children.reserve (1);
    std::string lower = child.label.substr (at);
    std::unique_ptr<node> &slot = parent.children[place_of (parent, first_of (child.label))];
    child.label.swap (lower);  // nothing throws from here on
    upper->parent = &parent;
    child.parent = upper.get ();
    upper->children.push_back (std::move (slot));
    slot = std::move (upper);
    return slot.get ();
}

topic_trie::node *topic_trie::add_leaf (node &under, std::size_t place, bytes_view rest)
{
    auto leaf = std::make_unique<node> ();
    leaf->label = text_view (rest);
    leaf->parent = &under;
    node *const made = leaf.get ();
    under.children.insert (under.children.begin () + static_cast<std::ptrdiff_t> (place), std::move (leaf));
    return made;
}

// The topic's node, made where it is missing.
topic_trie::node *topic_trie::make_node (bytes_view topic)
{
    node *at = &root_;
    while (!topic.empty ()) {
        const auto first = std::to_integer<unsigned char> (topic.front ());
        const std::size_t place = place_of (*at, first);
        if (place == at->children.size () || first_of (at->children[place]->label) != first)
            return add_leaf (*at, place, topic);
        node &child = *at->children[place];
        const std::size_t same = common_bytes (child.label, text_view (topic));
        at = same < child.label.size () ? split (child, same) : &child;
        topic = topic.subspan (same);
    }
    return at;
}

result<bool> topic_trie::add (bytes_view topic, subscriber who) noexcept
{
    node *at = nullptr;
    try {
        at = make_node (topic);
        const auto found = std::find_if (at->holders.begin (), at->holders.end (),
                                         [who] (const holder &h) { return h.who == who; });
        const bool first = at->holders.empty ();
        if (found != at->holders.end ())
            ++found->count;
        else
            at->holders.push_back ({who, 1});
        topics_ += first;
        return first;
    } catch (const std::bad_alloc &) {
        if (at != nullptr)
            prune (at);
        return errc::no_memory;
    }
}

// --- removing ----------------------------------------------------------------

topic_trie::node *topic_trie::find (bytes_view topic) noexcept
{
    const node *at = &root_;
    while (at != nullptr && !topic.empty ()) {
        at = step (*at, topic);
        if (at != nullptr)
            topic = topic.subspan (at->label.size ());
    }
    return const_cast<node *> (at);
}

// True when it had the node's topic; however often, it is gone.
bool topic_trie::drop_holder (node &from, subscriber who) noexcept
{
    return std::erase_if (from.holders, [who] (const holder &each) { return each.who == who; }) > 0;
}

// Takes away nodes that lead nowhere, upwards from here.
void topic_trie::prune (node *at) noexcept
{
    while (at != &root_ && at->holders.empty () && at->children.empty ()) {
        node *const up = at->parent;
        const std::size_t place = place_of (*up, first_of (at->label));
        up->children.erase (up->children.begin () + static_cast<std::ptrdiff_t> (place));
        at = up;
    }
}

topic_trie::removal topic_trie::remove (bytes_view topic, subscriber who) noexcept
{
    node *const at = find (topic);
    if (at == nullptr)
        return removal::unknown;
    const auto found = std::find_if (at->holders.begin (), at->holders.end (),
                                     [who] (const holder &h) { return h.who == who; });
    if (found == at->holders.end ())
        return removal::unknown;
    if (--found->count > 0)
        return removal::one_less;
    at->holders.erase (found);
    if (!at->holders.empty ())
        return removal::one_less;
    --topics_;
    prune (at);
    return removal::last;
}

// --- walking -----------------------------------------------------------------

// Parents before their children; null behind the last.
const topic_trie::node *topic_trie::next (const node *at) noexcept
{
    if (!at->children.empty ())
        return at->children.front ().get ();
    while (at->parent != nullptr) {
        const node &up = *at->parent;
        const std::size_t behind = place_of (up, first_of (at->label)) + 1;
        if (behind < up.children.size ())
            return up.children[behind].get ();
        at = &up;
    }
    return nullptr;
}

// As next(); on its way up it takes away nodes that lead nowhere any more.
topic_trie::node *topic_trie::next_pruning (node *at) noexcept
{
    if (!at->children.empty ())
        return at->children.front ().get ();
    while (at->parent != nullptr) {
        node &up = *at->parent;
        std::size_t behind = place_of (up, first_of (at->label));
        if (at->holders.empty () && at->children.empty ())
            up.children.erase (up.children.begin () + static_cast<std::ptrdiff_t> (behind));
        else
            ++behind;
        if (behind < up.children.size ())
            return up.children[behind].get ();
        at = &up;
    }
    return nullptr;
}

// False when memory is out.
bool topic_trie::text_of (const node &of, std::string &text) noexcept
try {
    std::size_t bytes = 0;
    for (const node *at = &of; at != nullptr; at = at->parent)
        bytes += at->label.size ();
    text.resize (bytes);
    for (const node *at = &of; at != nullptr; at = at->parent) {
        bytes -= at->label.size ();
        std::copy (at->label.begin (), at->label.end (), text.begin () + static_cast<std::ptrdiff_t> (bytes));
    }
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void topic_trie::clear () noexcept
{
    node *at = &root_;
    while (at != &root_ || !at->children.empty ()) {
        if (!at->children.empty ()) {
            at = at->children.back ().get ();
            continue;
        }
        at = at->parent;
        at->children.pop_back ();
    }
    root_.holders.clear ();
    topics_ = 0;
}

}  // namespace zlink::engine
