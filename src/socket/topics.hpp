// How topics and patterns are matched, for what stands above the facade and matches
// as SUB and PUB do.
#pragma once

#include "base/glob.hpp"
#include "engine/topic_trie.hpp"

namespace zlink::socket {

using engine::topic_trie;

}  // namespace zlink::socket
