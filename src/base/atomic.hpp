// The atomics of everything that takes part in a protocol between threads:
// locks, waiters, claims, lanes, handles, reference counts.
//
// It is std::atomic and nothing else. The name exists so that tests/explore
// can compile these very sources against a header of the same name, whose
// operations are each a point where another thread may go on. Code of base,
// wire, engine and socket uses it instead of std::atomic.
// Thread rule: any thread.
#pragma once

#include <atomic>

namespace zlink::base {

template <class T> using atomic = std::atomic<T>;

}  // namespace zlink::base
