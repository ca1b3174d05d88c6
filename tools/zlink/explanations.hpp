// What errors, options, events and reasons mean, in words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace zlink::tool {

// word: a name with or without its prefix (ZMQ_, ZLINK_), in any case, or a
// number (of an event also in hexadecimal digits, 0x0200); a reason is a word such as
// connect-refused. All that carry it, a paragraph each; empty when nothing does.
[[nodiscard]] std::string explain (std::string_view word);

// Every error, every option of contexts, every option of sockets and every event,
// under headings.
[[nodiscard]] std::string explain_all ();

// Upper case, without the headers' prefixes.
[[nodiscard]] std::string canonical_name (std::string_view word);

// The same as explain() for one kind only.
[[nodiscard]] std::string explain_error (std::string_view word);
[[nodiscard]] std::string explain_option (std::string_view word);
[[nodiscard]] std::string explain_event (std::string_view word);
[[nodiscard]] std::string explain_reason (std::string_view word);

}  // namespace zlink::tool
