// What tests of SPOT share: nodes, and subscriptions with what came to them as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "service/spot_node.hpp"
#include "services/provided.hpp"
#include "services/registries.hpp"

namespace zlink::service::test {

using texts = std::vector<std::string>;

inline closing<spot_node> open_node (town &in, int hwm = 100'000)
{
    return closing<spot_node> (spot_node::open (in.world, in.context.handle (), in.loop, {.hwm = hwm}));
}

inline std::string text_of (const spot_item &got)
{
    if (got.gap != spot_gap::none)
        return "gap " + std::to_string (static_cast<int> (got.gap)) + ":" + std::to_string (got.missing);
    std::string text = std::string (got.topic) + "=" + std::string (base::as_text (got.body));
    for (std::size_t i = 0; got.parts.size () > 1 && i < got.parts.size (); ++i)
        text += (i == 0 ? "" : "|") + std::string (base::as_text (got.parts[i].view ()));
    return text;
}

// As text, too.
inline std::string connection_gap ()
{
    return "gap " + std::to_string (static_cast<int> (spot_gap::connection)) + ":0";
}

// The next, or why there is none.
inline std::string next_of (spot_subscription &from, base::time_ns deadline = base::never_ns)
{
    spot_item got;
    const base::result<void> came = from.receive (got, deadline);
    return came.ok () ? text_of (got) : "error " + std::to_string (static_cast<int> (came.code ()));
}

inline std::string no_more () { return "error " + std::to_string (static_cast<int> (errc::would_block)); }

// All that is there now.
inline texts rest_of (spot_subscription &from)
{
    texts all;
    spot_item got;
    while (from.receive (got, 0).ok ())
        all.push_back (text_of (got));
    return all;
}

// Also where one that has just been closed is letting go.
inline std::string bind_at (town &in, spot_node &which, const std::string &where)
{
    base::result<std::string> bound = which.bind (where);
    for (; bound.code () == errc::address_in_use; bound = which.bind (where))
        in.world.sleep.yield ();
    return bound.value ();
}

// A node with one subscription, bound.
struct station
{
    station (town &in, std::string_view topics, const std::string &where)
      : node (open_node (in)), radio (node.share (), {}), endpoint (bind_at (in, *node.share (), where))
    {
        EXPECT_TRUE (radio.subscribe (spot_match::prefix, topics).ok ());
    }
    closing<spot_node> node;
    spot_subscription radio;
    std::string endpoint;
};

inline void wait_nodes (const closing<spot_node> &node, std::size_t count)
{
    ASSERT_TRUE (node->wait_nodes (count, base::never_ns).ok ());
}

// So many publishers know what it wants, its own among them.
inline base::result<void> wait_heard (const closing<spot_node> &of, unsigned publishers = 2)
{
    return socket::wait_subscribed (of->subscriber (), publishers, 30 * ns_per_s);
}

inline void publish (spot_node &by, std::string_view topic, std::string_view body)
{
    ASSERT_TRUE (by.publish (topic, base::as_bytes (body), 0).ok ());
}

}  // namespace zlink::service::test
