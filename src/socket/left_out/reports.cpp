// Instead of reports, in a minimal library: nothing tells at length. The sums of
// statistics() are there, and events.
// Chosen by src/socket/CMakeLists.txt; contracts and thread rules are those of
// socket/facade.hpp.
#include "socket/facade.hpp"

namespace zlink::socket {

using base::errc;
using base::result;

result<std::vector<engine::peer_report>> peers (void *) { return errc::not_supported; }
result<std::string> context_holders (void *) { return errc::not_supported; }
result<std::vector<count_row>> count_rows (void *) { return errc::not_supported; }
result<std::string> counters_text (void *) { return errc::not_supported; }
result<std::string> context_counters_text (void *) { return errc::not_supported; }

}  // namespace zlink::socket
