// The facade's calls that tell at length: peers, all counters, as rows and
// as text, and who holds a context.
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "socket/entries.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::socket_core;

result<std::vector<engine::peer_report>> peers (void *socket)
{
    return with_target (socket, [] (socket_core &to, std::uint32_t life) { return to.peer_reports (life); });
}

result<std::string> context_holders (void *context)
try {
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    std::string all;
    for (const engine::socket_ref &each : entry->core->sockets ()) {
        const std::string line = each.slot->describe (each.generation);
        if (!line.empty ())
            all += line + "\n";
    }
    return all;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<std::vector<engine::count_row>> count_rows (void *socket)
{
    return with_target (socket, [] (socket_core &to, std::uint32_t life) { return to.count_rows (life); });
}

namespace {

std::string lines_of (const std::vector<engine::count_row> &rows)
{
    std::string text;
    for (const engine::count_row &row : rows)
        text += engine::text_of (row) + "\n";
    return text;
}

}  // namespace

result<std::string> counters_text (void *socket)
try {
    const auto rows = count_rows (socket);
    if (!rows.ok ())
        return rows.failure ();
    return lines_of (rows.value ());
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

socket_key key_of (void *socket) noexcept
{
    const target to = resolve (socket);
    return {to.slot, to.generation};
}

result<std::vector<socket_rows>> context_count_rows (void *context)
try {
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    std::vector<socket_rows> all;
    for (const engine::socket_ref &each : entry->core->sockets ()) {
        auto rows = each.slot->count_rows (each.generation);
        if (rows.code () == errc::no_memory)
            return rows.failure ();
        if (rows.ok ())  // else it has been closed meanwhile
            all.push_back ({{each.slot, each.generation}, std::move (rows).value ()});
    }
    return all;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<std::string> context_counters_text (void *context)
try {
    const auto all = context_count_rows (context);
    if (!all.ok ())
        return all.failure ();
    std::string text;
    for (const socket_rows &each : all.value ())
        text += lines_of (each.rows);
    return text;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

}  // namespace zlink::socket
