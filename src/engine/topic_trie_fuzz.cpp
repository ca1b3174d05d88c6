// A trie of topics beside the plainest thing that does the same: counts of
// pairs in a map. The input is a list of operations.
//
// Promised: every answer is the map's, and no more nodes than its topics need.
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/fuzz_target.hpp"
#include "engine/topic_trie.hpp"

namespace zlink::fuzz {
namespace {

using engine::topic_trie;

class model
{
  public:
    using holder = std::pair<std::string, topic_trie::subscriber>;

    [[nodiscard]] bool has (const std::string &topic) const
    {
        const auto at = counts_.lower_bound ({topic, nullptr});
        return at != counts_.end () && at->first.first == topic;
    }
    bool add (const std::string &topic, topic_trie::subscriber who)
    {
        const bool first = !has (topic);
        ++counts_[{topic, who}];
        return first;
    }
    topic_trie::removal remove (const std::string &topic, topic_trie::subscriber who)
    {
        const auto at = counts_.find ({topic, who});
        if (at == counts_.end ())
            return topic_trie::removal::unknown;
        if (--at->second == 0)
            counts_.erase (at);
        return has (topic) ? topic_trie::removal::one_less : topic_trie::removal::last;
    }
    // Answers what nobody has any more.
    std::set<std::string> remove_all (topic_trie::subscriber who)
    {
        std::set<std::string> gone;
        for (auto at = counts_.begin (); at != counts_.end ();) {
            if (at->first.second == who) {
                gone.insert (at->first.first);
                at = counts_.erase (at);
            } else {
                ++at;
            }
        }
        std::erase_if (gone, [this] (const std::string &topic) { return has (topic); });
        return gone;
    }
    [[nodiscard]] std::multiset<topic_trie::subscriber> match (const std::string &text) const
    {
        std::multiset<topic_trie::subscriber> found;
        for (const auto &[each, count] : counts_)
            if (text.starts_with (each.first))
                found.insert (each.second);
        return found;
    }
    [[nodiscard]] std::set<std::string> topics () const
    {
        std::set<std::string> all;
        for (const auto &[each, count] : counts_)
            all.insert (each.first);
        return all;
    }

  private:
    std::map<holder, unsigned> counts_;
};

std::string text_of (base::bytes_view bytes) { return std::string (base::as_text (bytes)); }

void compare (const topic_trie &ours, const model &expected, const std::string &text)
{
    const base::bytes_view bytes = base::as_bytes (text);
    std::multiset<topic_trie::subscriber> found;
    ours.match (bytes, [&] (topic_trie::subscriber who) { found.insert (who); });
    require (found == expected.match (text) && ours.matches (bytes) == !found.empty ());
    require (ours.wants_all () == expected.has (""));
}

void compare_all (const topic_trie &ours, const model &expected)
{
    std::set<std::string> all;
    require (ours.each ([&] (base::bytes_view topic) { return all.insert (text_of (topic)).second; }));
    require (all == expected.topics () && ours.topics () == all.size ());
    require (ours.nodes () <= 1 + 2 * all.size ());
}

// An operation in its low bits, who in the others.
void step (topic_trie &ours, model &expected, decisions &from)
{
    static constexpr std::array<char, 4> people{};
    const unsigned what = from.octet ();
    const topic_trie::subscriber who = &people[what >> 2 & 3];
    // Few letters meet often; the last bit asks for any octets.
    std::string topic = text_of (from.take (what >> 4 & 7));
    if ((what & 0x80) == 0)
        for (char &each : topic)
            each = static_cast<char> ('a' + (each & 1));
    const base::bytes_view bytes = base::as_bytes (topic);
    switch (what & 3) {
    case 0: {
        const auto added = ours.add (bytes, who);
        require (added.ok () && added.value () == expected.add (topic, who));
        break;
    }
    case 1:
        require (ours.remove (bytes, who) == expected.remove (topic, who));
        break;
    case 2:
        if (topic.size () == 7) {
            std::set<std::string> gone;
            ours.remove_all (who,
                             [&] (base::bytes_view each) { require (gone.insert (text_of (each)).second); });
            require (gone == expected.remove_all (who));
        }
        break;
    default:
        compare (ours, expected, topic);
        break;
    }
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    constexpr std::size_t input_bytes_max = 1024;  // the map is slow
    if (size > input_bytes_max)
        return 0;
    zlink::engine::topic_trie ours;
    model expected;
    for (decisions from (input_of (data, size)); from.any ();)
        step (ours, expected, from);
    compare_all (ours, expected);
    compare (ours, expected, "aaaaaaaa");
    compare (ours, expected, "abababab");
    return 0;
}
