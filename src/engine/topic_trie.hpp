// Who wants which topics: a compressed trie of prefixes (RFC 29). A topic
// wants every message that begins with it; the empty one wants all.
//
// Subscriptions are additive: each add() takes a remove() to undo. Cost of a
// look follows the length of what is looked up, not the number of topics. A
// node is one block of memory, so that a level of a look touches little of it
// and a million topics stay small.
// Thread rule: whoever guards it; nothing here locks or blocks. However deep
// a hostile peer makes it, no call recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace zlink::engine {

class topic_trie
{
  public:
    using subscriber = const void *;  // only compared

    topic_trie () = default;
    ~topic_trie () { clear (); }
    topic_trie (const topic_trie &) = delete;
    topic_trie &operator= (const topic_trie &) = delete;

    // True: nobody had the topic before. errc::no_memory, and then nothing has
    // changed.
    base::result<bool> add (base::bytes_view topic, subscriber who) noexcept;

    enum class removal : std::uint8_t
    {
        unknown,   // who does not have it
        one_less,  // somebody still has it
        last,
    };
    removal remove (base::bytes_view topic, subscriber who) noexcept;
    // In two steps, one topic at a time: until it is settled, an add() of the
    // same by the same needs no memory.
    removal take (base::bytes_view topic, subscriber who) noexcept;
    void settle (base::bytes_view topic) noexcept;

    // Everything of one subscriber's. Calls gone(topic) for each topic that
    // nobody has any more; where memory is out for its text it is not called.
    template <class Gone> void remove_all (subscriber who, Gone gone) noexcept
    {
        ++changes_;
        node *at = root_;
        while (at != nullptr) {
            if (drop_holder (*at, who) && at->count == 0) {
                --topics_;
                std::string text;
                if (text_of (*at, text))
                    gone (
                      base::bytes_view (reinterpret_cast<const std::byte *> (text.data ()), text.size ()));
            }
            at = next_pruning (at);
        }
    }

    // Calls visit(subscriber) for all whose topic the text begins with; for one
    // with several such topics several times. Every text that has the first bytes
    // in common, as many as the answer, is for the same; open_end: none need be.
    static constexpr std::size_t open_end = SIZE_MAX;
    template <class Visit> std::size_t match (base::bytes_view text, Visit visit) const noexcept
    {
        base::bytes_view rest = text;
        for (const node *at = root_; at != nullptr; at = step (*at, rest)) {
            if (at->count == several)
                for (const holder &each : *at->list ())
                    visit (each.who);
            else if (at->count != 0)
                visit (at->who);
            if (at->child_count == 0)
                return text.size () - rest.size ();
        }
        return root_ == nullptr ? 0 : open_end;
    }
    // Has the subscriber this very topic?
    [[nodiscard]] bool holds (base::bytes_view topic, subscriber who) const noexcept;
    // How many of its first bytes are somebody's topic; open_end: they are
    // nobody's.
    [[nodiscard]] std::size_t matched (base::bytes_view text) const noexcept;
    // Would match() visit anybody?
    [[nodiscard]] bool matches (base::bytes_view text) const noexcept { return matched (text) != open_end; }
    // Does somebody have the empty topic?
    [[nodiscard]] bool wants_all () const noexcept { return root_ != nullptr && root_->count != 0; }

    // Calls visit(topic) for every topic; false, early, when visit answers false
    // or memory is out.
    template <class Visit> bool each (Visit visit) const noexcept
    {
        std::string text;
        for (const node *at = root_; at != nullptr; at = next (at)) {
            if (at->count == 0)
                continue;
            if (!text_of (*at, text)
                || !visit (
                  base::bytes_view (reinterpret_cast<const std::byte *> (text.data ()), text.size ())))
                return false;
        }
        return true;
    }

    // Different topics that somebody has.
    [[nodiscard]] std::size_t topics () const noexcept { return topics_; }
    // Grows whenever match() may begin to answer differently.
    [[nodiscard]] std::uint64_t changes () const noexcept { return changes_; }
    // How many blocks that takes; walks all of them. At most one and two a topic,
    // and one for every 32 KiB of text, whatever was here before: unless memory
    // was out when nodes could have become one.
    [[nodiscard]] std::size_t nodes () const noexcept;
    void clear () noexcept;

  private:
    struct holder
    {
        subscriber who;
        std::uint32_t count;
    };
    using holder_list = std::vector<holder>;
    static constexpr std::uint32_t several = UINT32_MAX;

    // Behind a node in its block: the first bytes of its children's labels, in
    // order; its own label, which stands behind the parent's text and is empty
    // only at the root; from the next place for a pointer on, its children. A
    // node that gets a child moves, and one that loses half of them.
    struct node
    {
        node *parent;
        subscriber who;       // the only holder; of several: their holder_list
        std::uint32_t count;  // how often it holds; 0: nobody does
        std::uint16_t label_bytes;
        std::uint16_t child_count;

        [[nodiscard]] unsigned char *firsts () noexcept
        {
            return reinterpret_cast<unsigned char *> (this + 1);
        }
        [[nodiscard]] const unsigned char *firsts () const noexcept
        {
            return reinterpret_cast<const unsigned char *> (this + 1);
        }
        [[nodiscard]] unsigned char *label () noexcept { return firsts () + child_count; }
        [[nodiscard]] const unsigned char *label () const noexcept { return firsts () + child_count; }
        [[nodiscard]] base::bytes_view text () const noexcept
        {
            return {reinterpret_cast<const std::byte *> (label ()), label_bytes};
        }
        [[nodiscard]] node **children () noexcept
        {
            return reinterpret_cast<node **> (reinterpret_cast<unsigned char *> (this) + children_at ());
        }
        [[nodiscard]] node *const *children () const noexcept
        {
            return reinterpret_cast<node *const *> (reinterpret_cast<const unsigned char *> (this)
                                                    + children_at ());
        }
        [[nodiscard]] holder_list *list () const noexcept
        {
            return static_cast<holder_list *> (const_cast<void *> (who));
        }
        [[nodiscard]] std::size_t children_at () const noexcept
        {
            return children_at (label_bytes, child_count);
        }
        [[nodiscard]] static constexpr std::size_t children_at (std::size_t label_bytes,
                                                                std::size_t child_count) noexcept
        {
            constexpr std::size_t step = alignof (node *);
            return (sizeof (node) + child_count + label_bytes + step - 1) / step * step;
        }
    };

    // The child whose whole label the text begins with, and the text behind it.
    [[nodiscard]] static const node *step (const node &from, base::bytes_view &text) noexcept
    {
        if (text.empty () || from.child_count == 0)
            return nullptr;
        const unsigned char *found = from.firsts ();
        if (*found != std::to_integer<unsigned char> (text.front ())) {
            found = static_cast<const unsigned char *> (
              std::memchr (found, std::to_integer<int> (text.front ()), from.child_count));
            if (found == nullptr)
                return nullptr;
        }
        const node *const child = from.children ()[found - from.firsts ()];
        // Its first byte is known to be the text's.
        if (text.size () < child->label_bytes
            || (child->label_bytes > 1
                && std::memcmp (text.data (), child->label (), child->label_bytes) != 0))
            return nullptr;
        text = text.subspan (child->label_bytes);
        return child;
    }
    [[nodiscard]] static std::size_t place_of (const node &in, unsigned char first) noexcept;
    [[nodiscard]] static std::size_t place_in_parent (const node &of) noexcept;
    [[nodiscard]] static const node *next (const node *at) noexcept;
    [[nodiscard]] static bool text_of (const node &of, std::string &text) noexcept;
    static bool hold (node &at, subscriber who, bool &first) noexcept;
    static bool drop_holder (node &from, subscriber who) noexcept;
    removal take_from (node &at, subscriber who) noexcept;
    void settle (node &at) noexcept;
    static void settle_list (node &of) noexcept;
    [[nodiscard]] static node *make_block (node *parent,
                                           base::bytes_view label,
                                           std::size_t child_count,
                                           base::bytes_view behind = {}) noexcept;
    static void free_block (node *gone) noexcept;
    void replace (node &old, node &made, node &in_parent) noexcept;
    [[nodiscard]] node *fitted (node &wide) noexcept;
    void join_child (node &upper) noexcept;
    [[nodiscard]] node *take_away (node &leaf) noexcept;
    static void remove_child (node &from, std::size_t place) noexcept;
    static void cut_label (node &of, std::size_t bytes) noexcept;
    [[nodiscard]] node *with_room (node &full, std::size_t place, unsigned char first) noexcept;
    [[nodiscard]] node *add_leaf (node &under, base::bytes_view rest) noexcept;
    [[nodiscard]] static node *split (node &child, std::size_t at) noexcept;
    [[nodiscard]] node *make_node (base::bytes_view topic) noexcept;
    [[nodiscard]] node *find (base::bytes_view topic) const noexcept;
    [[nodiscard]] node *next_pruning (node *at) noexcept;
    void prune (node *at) noexcept;

    node *root_ = nullptr;  // made with the first topic
    std::size_t topics_ = 0;
    std::uint64_t changes_ = 0;
};

}  // namespace zlink::engine
