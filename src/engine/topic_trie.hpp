// Who wants which topics: a compressed trie of prefixes (RFC 29). A topic
// wants every message that begins with it; the empty one wants all.
//
// Subscriptions are additive: each add() takes a remove() to undo. Cost of a
// look follows the length of what is looked up, not the number of topics.
// Thread rule: whoever guards it; nothing here locks or blocks. However deep
// a hostile peer makes it, no call recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

    // Everything of one subscriber's. Calls gone(topic) for each topic that
    // nobody has any more; where memory is out for its text it is not called.
    template <class Gone> void remove_all (subscriber who, Gone gone) noexcept
    {
        node *at = &root_;
        while (at != nullptr) {
            if (drop_holder (*at, who) && at->holders.empty ()) {
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
    // with several such topics several times.
    template <class Visit> void match (base::bytes_view text, Visit visit) const noexcept
    {
        const node *at = &root_;
        for (;;) {
            for (const holder &each : at->holders)
                visit (each.who);
            at = step (*at, text);
            if (at == nullptr)
                return;
            text = text.subspan (at->label.size ());
        }
    }
    // Would match() visit anybody?
    [[nodiscard]] bool matches (base::bytes_view text) const noexcept;
    // Does somebody have the empty topic?
    [[nodiscard]] bool wants_all () const noexcept { return !root_.holders.empty (); }

    // Calls visit(topic) for every topic; false, early, when visit answers false
    // or memory is out.
    template <class Visit> bool each (Visit visit) const noexcept
    {
        std::string text;
        for (const node *at = &root_; at != nullptr; at = next (at)) {
            if (at->holders.empty ())
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
    void clear () noexcept;

  private:
    struct holder
    {
        subscriber who;
        std::uint32_t count;
    };
    struct node
    {
        std::string label;  // behind the parent's text; empty only at the root
        node *parent = nullptr;
        std::vector<std::unique_ptr<node>> children;  // by the first byte of their labels
        std::vector<holder> holders;
    };

    [[nodiscard]] static std::size_t place_of (const node &in, unsigned char first) noexcept;
    [[nodiscard]] static const node *step (const node &from, base::bytes_view text) noexcept;
    [[nodiscard]] static const node *next (const node *at) noexcept;
    [[nodiscard]] static bool text_of (const node &of, std::string &text) noexcept;
    static bool drop_holder (node &from, subscriber who) noexcept;
    node *make_node (base::bytes_view topic);
    node *add_leaf (node &under, std::size_t place, base::bytes_view rest);
    static node *split (node &child, std::size_t at);
    [[nodiscard]] node *find (base::bytes_view topic) noexcept;
    node *next_pruning (node *at) noexcept;
    void prune (node *at) noexcept;

    node root_;
    std::size_t topics_ = 0;
};

}  // namespace zlink::engine
