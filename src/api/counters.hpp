// Counters as rows of zlink.h's struct, which may be longer or shorter than
// the library's: the caller says how long its own is.
#pragma once

#include <cstddef>

#include "socket/facade.hpp"

namespace zlink::api {

// EFAULT, EINVAL, ENOTSOCK, ENOMEM. As zlink.h says of zlink_counters.
int count_rows_into (void *socket, void *rows, std::size_t row_size, std::size_t *count) noexcept;

// One row, of whatever length.
void fill_row (void *to, std::size_t row_size, const socket::count_row &from) noexcept;

}  // namespace zlink::api
