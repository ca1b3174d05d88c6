#include "engine/topic_trie.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::engine {

using base::bytes_view;
using base::errc;
using base::result;

namespace {

constexpr std::size_t label_bytes_max = UINT16_MAX;  // longer ones take several nodes

std::size_t common_bytes (const unsigned char *label, std::size_t label_bytes, bytes_view text) noexcept
{
    const std::size_t shorter = std::min (label_bytes, text.size ());
    std::size_t same = 0;
    while (same < shorter && label[same] == std::to_integer<unsigned char> (text[same]))
        ++same;
    return same;
}

}  // namespace

// Where the child that begins with this byte is, or would be.
std::size_t topic_trie::place_of (const node &in, unsigned char first) noexcept
{
    const unsigned char *const firsts = in.firsts ();
    return static_cast<std::size_t> (std::lower_bound (firsts, firsts + in.child_count, first) - firsts);
}

std::size_t topic_trie::place_in_parent (const node &of) noexcept
{
    return place_of (*of.parent, *of.label ());
}

bool topic_trie::matches (bytes_view text) const noexcept
{
    const node *at = root_;
    while (at != nullptr && at->count == 0)
        at = step (*at, text);
    return at != nullptr;
}

// --- blocks ------------------------------------------------------------------

// Nobody's, with room for so many children, of which the caller says what they
// are. Null when memory is out.
topic_trie::node *topic_trie::make_block (node *parent, bytes_view label, std::size_t child_count) noexcept
{
    const std::size_t bytes =
      child_count == 0 ? sizeof (node) + label.size ()
                       : node::children_at (label.size (), child_count) + child_count * sizeof (node *);
    void *const block = ::operator new (bytes, std::nothrow);
    if (block == nullptr)
        return nullptr;
    node *const made = new (block) node{parent, nullptr, 0, static_cast<std::uint16_t> (label.size ()),
                                        static_cast<std::uint16_t> (child_count)};
    if (!label.empty ())
        std::memcpy (made->label (), label.data (), label.size ());
    return made;
}

void topic_trie::free_block (node *gone) noexcept
{
    if (gone->count == several)
        delete gone->list ();
    ::operator delete (gone);
}

// The same node with a place for one more child, of which the caller says what
// it is. Null when memory is out.
topic_trie::node *topic_trie::with_room (node &full, std::size_t place, unsigned char first) noexcept
{
    const std::size_t count = full.child_count;
    node *const made = make_block (
      full.parent, {reinterpret_cast<const std::byte *> (full.label ()), full.label_bytes}, count + 1);
    if (made == nullptr)
        return nullptr;
    made->who = full.who;
    made->count = full.count;
    std::copy_n (full.firsts (), place, made->firsts ());
    made->firsts ()[place] = first;
    std::copy_n (full.firsts () + place, count - place, made->firsts () + place + 1);
    std::copy_n (full.children (), place, made->children ());
    made->children ()[place] = nullptr;
    std::copy_n (full.children () + place, count - place, made->children () + place + 1);
    for (std::size_t i = 0; i < count + 1; ++i)
        if (node *const child = made->children ()[i]; child != nullptr)
            child->parent = made;
    if (full.parent != nullptr)
        full.parent->children ()[place_in_parent (full)] = made;
    else
        root_ = made;
    ::operator delete (&full);  // its holders have moved
    return made;
}

// Everything behind the first byte moves down in the block.
void topic_trie::remove_child (node &from, std::size_t place) noexcept
{
    node **const old_children = from.children ();
    unsigned char *const firsts = from.firsts ();
    const std::size_t behind = from.child_count - place - 1u;
    std::memmove (firsts + place, firsts + place + 1, behind + from.label_bytes);
    --from.child_count;
    node **const children = from.children ();
    std::memmove (children, old_children, place * sizeof (node *));
    std::memmove (children + place, old_children + place + 1, behind * sizeof (node *));
}

// Its label loses its beginning.
void topic_trie::cut_label (node &of, std::size_t bytes) noexcept
{
    node **const old_children = of.children ();
    std::memmove (of.label (), of.label () + bytes, of.label_bytes - bytes);
    of.label_bytes = static_cast<std::uint16_t> (of.label_bytes - bytes);
    std::memmove (of.children (), old_children, of.child_count * sizeof (node *));
}

// --- adding ------------------------------------------------------------------

// The node between the child and its parent, at so many bytes of its label.
// Null when memory is out.
topic_trie::node *topic_trie::split (node &child, std::size_t at) noexcept
{
    node &parent = *child.parent;
    node *const upper = make_block (&parent, {reinterpret_cast<const std::byte *> (child.label ()), at}, 1);
    if (upper == nullptr)
        return nullptr;
    parent.children ()[place_in_parent (child)] = upper;
    cut_label (child, at);
    child.parent = upper;
    *upper->firsts () = *child.label ();
    *upper->children () = &child;
    return upper;
}

// Of as much of the rest as a label takes. Null when memory is out.
topic_trie::node *topic_trie::add_leaf (node &under, bytes_view rest) noexcept
{
    const auto first = std::to_integer<unsigned char> (rest.front ());
    node *const leaf = make_block (nullptr, rest.first (std::min (rest.size (), label_bytes_max)), 0);
    if (leaf == nullptr)
        return nullptr;
    const std::size_t place = place_of (under, first);
    node *const parent = with_room (under, place, first);
    if (parent == nullptr) {
        free_block (leaf);
        return nullptr;
    }
    leaf->parent = parent;
    return parent->children ()[place] = leaf;
}

// The topic's node, made where it is missing. Null when memory is out.
topic_trie::node *topic_trie::make_node (bytes_view topic) noexcept
{
    if (root_ == nullptr)
        root_ = make_block (nullptr, {}, 0);
    node *at = root_;
    while (at != nullptr && !topic.empty ()) {
        const auto first = std::to_integer<unsigned char> (topic.front ());
        const std::size_t place = place_of (*at, first);
        node *next = nullptr;
        if (place == at->child_count || at->firsts ()[place] != first) {
            next = add_leaf (*at, topic);
        } else {
            node &child = *at->children ()[place];
            const std::size_t same = common_bytes (child.label (), child.label_bytes, topic);
            next = same < child.label_bytes ? split (child, same) : &child;
        }
        if (next == nullptr)
            prune (at);
        else
            topic = topic.subspan (next->label_bytes);
        at = next;
    }
    return at;
}

// Once more. False when memory is out; first: nobody held it before.
bool topic_trie::hold (node &at, subscriber who, bool &first) noexcept
try {
    first = at.count == 0;
    if (first)
        at.who = who;
    if (at.count != several && at.who == who) {
        at.count += at.count < several - 1;
        return true;
    }
    if (at.count != several) {
        at.who = new holder_list{{at.who, at.count}, {who, 1}};
        at.count = several;
        return true;
    }
    holder_list &all = *at.list ();
    const auto found =
      std::find_if (all.begin (), all.end (), [who] (const holder &each) { return each.who == who; });
    if (found != all.end ())
        ++found->count;
    else
        all.push_back ({who, 1});
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

result<bool> topic_trie::add (bytes_view topic, subscriber who) noexcept
{
    node *const at = make_node (topic);
    if (at == nullptr)
        return errc::no_memory;
    bool first = false;
    if (!hold (*at, who, first)) {
        prune (at);
        return errc::no_memory;
    }
    topics_ += first;
    return first;
}

// --- removing ----------------------------------------------------------------

topic_trie::node *topic_trie::find (bytes_view topic) noexcept
{
    const node *at = root_;
    while (at != nullptr && !topic.empty ())
        at = step (*at, topic);
    return const_cast<node *> (at);
}

// A list of one is none.
void topic_trie::settle_list (node &of) noexcept
{
    holder_list *const all = of.list ();
    if (all->size () > 1)
        return;
    of.who = all->front ().who;
    of.count = all->front ().count;
    delete all;
}

// True when it had the node's topic; however often, it is gone.
bool topic_trie::drop_holder (node &from, subscriber who) noexcept
{
    if (from.count == several) {
        if (std::erase_if (*from.list (), [who] (const holder &each) { return each.who == who; }) == 0)
            return false;
        settle_list (from);
        return true;
    }
    const bool had = from.count != 0 && from.who == who;
    if (had)
        from.count = 0;
    return had;
}

// Takes away nodes that lead nowhere, upwards from here.
void topic_trie::prune (node *at) noexcept
{
    while (at != root_ && at->count == 0 && at->child_count == 0) {
        node *const up = at->parent;
        remove_child (*up, place_in_parent (*at));
        free_block (at);
        at = up;
    }
}

topic_trie::removal topic_trie::remove (bytes_view topic, subscriber who) noexcept
{
    node *const at = find (topic);
    if (at == nullptr || at->count == 0)
        return removal::unknown;
    if (at->count == several) {
        holder_list &all = *at->list ();
        const auto found =
          std::find_if (all.begin (), all.end (), [who] (const holder &each) { return each.who == who; });
        if (found == all.end ())
            return removal::unknown;
        if (--found->count == 0) {
            all.erase (found);
            settle_list (*at);
        }
        return removal::one_less;
    }
    if (at->who != who)
        return removal::unknown;
    if (--at->count > 0)
        return removal::one_less;
    --topics_;
    prune (at);
    return removal::last;
}

// --- walking -----------------------------------------------------------------

// Parents before their children; null behind the last.
const topic_trie::node *topic_trie::next (const node *at) noexcept
{
    if (at->child_count > 0)
        return at->children ()[0];
    for (; at->parent != nullptr; at = at->parent) {
        const std::size_t behind = place_in_parent (*at) + 1;
        if (behind < at->parent->child_count)
            return at->parent->children ()[behind];
    }
    return nullptr;
}

// As next(); on its way up it takes away nodes that lead nowhere any more.
topic_trie::node *topic_trie::next_pruning (node *at) noexcept
{
    if (at->child_count > 0)
        return at->children ()[0];
    while (at->parent != nullptr) {
        node *const up = at->parent;
        std::size_t behind = place_in_parent (*at);
        if (at->count == 0 && at->child_count == 0) {
            remove_child (*up, behind);
            free_block (at);
        } else {
            ++behind;
        }
        if (behind < up->child_count)
            return up->children ()[behind];
        at = up;
    }
    return nullptr;
}

// False when memory is out.
bool topic_trie::text_of (const node &of, std::string &text) noexcept
try {
    std::size_t bytes = 0;
    for (const node *at = &of; at != nullptr; at = at->parent)
        bytes += at->label_bytes;
    text.resize (bytes);
    for (const node *at = &of; at != nullptr; at = at->parent) {
        bytes -= at->label_bytes;
        std::copy_n (at->label (), at->label_bytes, text.begin () + static_cast<std::ptrdiff_t> (bytes));
    }
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void topic_trie::clear () noexcept
{
    node *at = root_;
    while (at != nullptr) {
        if (at->child_count > 0) {
            at = at->children ()[at->child_count - 1];
            continue;
        }
        node *const up = at->parent;
        if (up != nullptr)
            remove_child (*up, up->child_count - 1u);
        free_block (at);
        at = up;
    }
    root_ = nullptr;
    topics_ = 0;
}

}  // namespace zlink::engine
