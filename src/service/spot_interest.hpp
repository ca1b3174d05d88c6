// Which subscriptions of a node want which topics: exact ones, prefixes and patterns in
// one trie. A look costs as much as the topic is long, however many there are, and one
// match for each pattern whose beginning fits; the same topic again costs a comparison.
//
// Thread rule: whoever guards it; nothing here locks or blocks.
// Lifetime: who is interested is taken out (remove_all) before it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "socket/topics.hpp"

namespace zlink::service {

enum class spot_match : std::uint8_t
{
    exact,   // this topic
    prefix,  // all that begin so; empty: all
    glob,    // a pattern (base/glob.hpp)
};

// What a subscription is here.
struct spot_interested
{
    std::uint64_t chosen_in = 0;  // the table's
};

// The octets that say so to publishers: a topic or pattern and its end, or a prefix. May
// throw std::bad_alloc.
[[nodiscard]] std::string spot_wish (spot_match how, std::string_view what);
// 1 to 255 octets (a prefix: none, too) without a 0; a pattern is one.
[[nodiscard]] bool is_spot_wish (spot_match how, std::string_view what) noexcept;

class spot_interest
{
  public:
    spot_interest () = default;
    ~spot_interest ();
    spot_interest (const spot_interest &) = delete;
    spot_interest &operator= (const spot_interest &) = delete;

    // Each is undone by one remove(). invalid_argument: it is none; no_memory, and nothing
    // has changed.
    base::result<void> add (spot_match how, std::string_view what, spot_interested &who) noexcept;
    // False: it was not there.
    bool remove (spot_match how, std::string_view what, spot_interested &who) noexcept;
    // Everything of one. It is in no answer any more.
    void remove_all (spot_interested &who) noexcept;

    // Who wants a topic, which comes with the 0 that ends it: each once. Valid until the
    // next call; false when memory is out, and nobody is in it.
    [[nodiscard]] bool choose (base::bytes_view topic_and_end,
                               std::span<spot_interested *const> &chosen) noexcept;

    // Grows whenever choose() may begin to answer differently.
    [[nodiscard]] std::uint64_t changes () const noexcept { return changes_; }

    // Different wishes.
    [[nodiscard]] std::size_t size () const noexcept { return trie_.topics (); }

  private:
    struct pattern
    {
        std::string text;
        spot_interested *who;
        std::uint32_t count;
    };
    [[nodiscard]] bool choose_into_room (base::bytes_view topic_and_end) noexcept;
    [[nodiscard]] pattern *find (std::string_view text, const spot_interested &who) const noexcept;

    socket::topic_trie trie_;
    std::vector<std::unique_ptr<pattern>> patterns_;
    std::vector<spot_interested *> chosen_;
    std::string chosen_for_;  // empty: for nothing
    std::uint64_t chosen_at_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t round_ = 0;
};

}  // namespace zlink::service
