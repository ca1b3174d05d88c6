// Instead of counters, in a minimal library: no rows are made
// (socket/left_out/reports.cpp).
// Chosen by src/api/CMakeLists.txt; contracts and thread rules are those of
// api/counters.hpp.
#include "api/counters.hpp"

#include "api/errors.hpp"

namespace zlink::api {

int count_rows_into (void *, void *, std::size_t, std::size_t *) noexcept
{
    return failed (base::errc::not_supported);
}

}  // namespace zlink::api
