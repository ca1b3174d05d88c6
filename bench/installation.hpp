// Where the libraries are: ours beside the program, theirs in the system.
#pragma once

#include <string>

namespace zlink::bench {

// <folder of the program>/../lib/<name>; empty when it is not there.
[[nodiscard]] std::string find_own_library (const std::string &name);

// <name> in the folder of the file; empty when it is not there.
[[nodiscard]] std::string find_beside (const std::string &file, const std::string &name);

// The system's libzmq.so.5; empty when it is not installed.
[[nodiscard]] std::string find_system_libzmq ();

// The one with drafts that ./dev builds beside the builds, of a program that is in one of
// those; empty when it is not there.
[[nodiscard]] std::string find_libzmq_with_drafts ();

}  // namespace zlink::bench
