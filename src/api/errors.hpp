// From values to errno: the one place where errors of the library become what
// C programs see. Thread rule: errno is the calling thread's.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <new>

#include "base/error.hpp"

namespace zlink::api {

// The errno of a code; of an error that only the system could name, its own.
[[nodiscard]] int error_number (base::errc code) noexcept;
[[nodiscard]] int error_number (base::error failure) noexcept;

// A sentence for an errno, ours and the system's.
[[nodiscard]] const char *error_text (int number) noexcept;

// Set errno and answer what a C function returns then: -1, or NULL.
int failed (base::errc code) noexcept;
int failed (base::error failure) noexcept;
int failed_descriptor () noexcept;  // EBADF
std::nullptr_t failed_pointer (base::error failure) noexcept;
inline std::nullptr_t failed_pointer (base::errc code) noexcept
{
    return failed_pointer (base::error{code, 0});
}

// 0 or -1 for a call that answers nothing.
inline int answer (const base::result<void> &outcome) noexcept
{
    return outcome ? 0 : failed (outcome.failure ());
}

// The value, or NULL.
inline void *answer (const base::result<void *> &outcome) noexcept
{
    return outcome ? outcome.value () : failed_pointer (outcome.failure ());
}

inline int answer (const base::result<int> &outcome) noexcept
{
    return outcome ? outcome.value () : failed (outcome.failure ());
}

// The count as an int, or -1.
template <class Count> int answer_count (Count count) noexcept
{
    if (count.ok ()) [[likely]]
        return static_cast<int> (std::min<std::size_t> (count.size (), INT_MAX));
    return failed (count.code ());
}

// Runs what may run out of memory inside the standard library: nothing is
// thrown into C.
template <class Body> auto without_throwing (Body &&body) noexcept -> decltype (body ())
{
    try {
        return body ();
    } catch (const std::bad_alloc &) {
        return decltype (body ()) (failed (base::errc::no_memory));
    }
}

}  // namespace zlink::api
