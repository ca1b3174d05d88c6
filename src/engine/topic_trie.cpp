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

std::size_t topic_trie::matched (bytes_view text) const noexcept
{
    bytes_view rest = text;
    const node *at = root_;
    while (at != nullptr && at->count == 0)
        at = step (*at, rest);
    return at != nullptr ? text.size () - rest.size () : open_end;
}

// --- blocks ------------------------------------------------------------------

// Nobody's, its label in two pieces, with room for so many children, of which
// the caller says what they are. Null when memory is out.
topic_trie::node *
topic_trie::make_block (node *parent, bytes_view label, std::size_t child_count, bytes_view behind) noexcept
{
    const std::size_t label_bytes = label.size () + behind.size ();
    const std::size_t bytes =
      child_count == 0 ? sizeof (node) + label_bytes
                       : node::children_at (label_bytes, child_count) + child_count * sizeof (node *);
    void *const block = ::operator new (bytes, std::nothrow);
    if (block == nullptr)
        return nullptr;
    node *const made = new (block) node{parent, nullptr, 0, static_cast<std::uint16_t> (label_bytes),
                                        static_cast<std::uint16_t> (child_count)};
    std::copy_n (reinterpret_cast<const unsigned char *> (label.data ()), label.size (), made->label ());
    std::copy_n (reinterpret_cast<const unsigned char *> (behind.data ()), behind.size (),
                 made->label () + label.size ());
    return made;
}

// The new block is the old node from now on, where the parent of the new one
// had the old: with its holders, and with the children that it was given.
void topic_trie::replace (node &old, node &made, node &in_parent) noexcept
{
    made.who = old.who;
    made.count = old.count;
    for (std::size_t i = 0; i < made.child_count; ++i)
        if (node *const child = made.children ()[i]; child != nullptr)
            child->parent = &made;
    if (made.parent != nullptr)
        made.parent->children ()[place_in_parent (in_parent)] = &made;
    else
        root_ = &made;
    ::operator delete (&old);  // its holders have moved
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
    node *const made = make_block (full.parent, full.text (), count + 1);
    if (made == nullptr)
        return nullptr;
    std::copy_n (full.firsts (), place, made->firsts ());
    made->firsts ()[place] = first;
    std::copy_n (full.firsts () + place, count - place, made->firsts () + place + 1);
    std::copy_n (full.children (), place, made->children ());
    made->children ()[place] = nullptr;
    std::copy_n (full.children () + place, count - place, made->children () + place + 1);
    replace (full, *made, full);
    return made;
}

// The same node in a block of its size, if there is memory for one.
topic_trie::node *topic_trie::fitted (node &wide) noexcept
{
    const std::size_t count = wide.child_count;
    node *const made = make_block (wide.parent, wide.text (), count);
    if (made == nullptr)
        return &wide;
    std::copy_n (wide.firsts (), count, made->firsts ());
    std::copy_n (wide.children (), count, made->children ());
    replace (wide, *made, wide);
    return made;
}

// One node of a node that nobody holds and its only child, if a label takes
// both texts and there is memory for it.
void topic_trie::join_child (node &upper) noexcept
{
    node &lower = *upper.children ()[0];
    if (std::size_t{upper.label_bytes} + lower.label_bytes > label_bytes_max)
        return;
    const std::size_t count = lower.child_count;
    node *const made = make_block (upper.parent, upper.text (), count, lower.text ());
    if (made == nullptr)
        return;
    std::copy_n (lower.firsts (), count, made->firsts ());
    std::copy_n (lower.children (), count, made->children ());
    replace (lower, *made, upper);
    free_block (&upper);
}

// Everything behind the first byte moves down in the block, which stays as
// large as it was.
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
    node *const upper = make_block (&parent, child.text ().first (at), 1);
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
    const auto found = std::ranges::find_if (all, [who] (const holder &each) { return each.who == who; });
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
    ++changes_;
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

topic_trie::node *topic_trie::find (bytes_view topic) const noexcept
{
    const node *at = root_;
    while (at != nullptr && !topic.empty ())
        at = step (*at, topic);
    return const_cast<node *> (at);
}

bool topic_trie::holds (bytes_view topic, subscriber who) const noexcept
{
    const node *const at = find (topic);
    if (at == nullptr || at->count == 0)
        return false;
    if (at->count != several)
        return at->who == who;
    const holder_list &all = *at->list ();
    return std::ranges::any_of (all, [who] (const holder &each) { return each.who == who; });
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

// Takes a node away that leads nowhere. The parent, which may have moved: its
// block never keeps room for more than twice the children it has.
topic_trie::node *topic_trie::take_away (node &leaf) noexcept
{
    node &up = *leaf.parent;
    remove_child (up, place_in_parent (leaf));
    free_block (&leaf);
    const bool halved = (up.child_count & (up.child_count - 1)) == 0;  // or none is left
    return halved ? fitted (up) : &up;
}

// Nodes that lead nowhere go, upwards from here, and the last that stays is
// one with its only child if nobody holds it.
void topic_trie::prune (node *at) noexcept
{
    while (at != root_ && at->count == 0 && at->child_count == 0)
        at = take_away (*at);
    if (at != root_ && at->count == 0 && at->child_count == 1)
        join_child (*at);
}

// Nothing is freed.
topic_trie::removal topic_trie::take_from (node &at, subscriber who) noexcept
{
    if (at.count == several) {
        holder_list &all = *at.list ();
        const auto found = std::ranges::find_if (all, [who] (const holder &each) { return each.who == who; });
        if (found == all.end ())
            return removal::unknown;
        if (--found->count == 0)
            all.erase (found);
        return removal::one_less;
    }
    if (at.count == 0 || at.who != who)
        return removal::unknown;
    if (--at.count > 0)
        return removal::one_less;
    --topics_;
    return removal::last;
}

void topic_trie::settle (node &at) noexcept
{
    if (at.count == several)
        settle_list (at);
    else if (at.count == 0)
        prune (&at);
}

topic_trie::removal topic_trie::remove (bytes_view topic, subscriber who) noexcept
{
    node *const at = find (topic);
    if (at == nullptr)
        return removal::unknown;
    const removal outcome = take_from (*at, who);
    if (outcome == removal::unknown)
        return outcome;
    ++changes_;
    settle (*at);
    return outcome;
}

topic_trie::removal topic_trie::take (bytes_view topic, subscriber who) noexcept
{
    node *const at = find (topic);
    if (at == nullptr)
        return removal::unknown;
    ++changes_;
    return take_from (*at, who);
}

void topic_trie::settle (bytes_view topic) noexcept
{
    if (node *const at = find (topic); at != nullptr)
        settle (*at);
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

// As next(); on its way up it does what prune() does.
topic_trie::node *topic_trie::next_pruning (node *at) noexcept
{
    if (at->child_count > 0)
        return at->children ()[0];
    while (at->parent != nullptr) {
        node *up = at->parent;
        std::size_t behind = place_in_parent (*at);
        if (at->count == 0 && at->child_count == 0) {
            up = take_away (*at);
        } else {
            ++behind;
            if (at->count == 0 && at->child_count == 1)
                join_child (*at);
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

std::size_t topic_trie::nodes () const noexcept
{
    std::size_t count = 0;
    for (const node *at = root_; at != nullptr; at = next (at))
        ++count;
    return count;
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
    ++changes_;
}

}  // namespace zlink::engine
