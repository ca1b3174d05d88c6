# zlink_write_types(FILE TYPES...): the list of src/socket/built_patterns.cpp
# with only these socket types in it. A name that is no type's stops the
# configuration.
function(zlink_write_types file)
  set(rows)
  foreach(type IN LISTS ARGN)
    string(TOLOWER "${type}" name)
    file(STRINGS "${PROJECT_SOURCE_DIR}/src/socket/patterns.hpp" known REGEX "&${name}_pattern \\(\\)")
    if(NOT known)
      message(FATAL_ERROR "ZLINK_SOCKET_TYPES: ${type} is no socket type")
    endif()
    list(APPEND rows "&${name}_pattern ()")
  endforeach()
  list(JOIN rows ", " rows)
  file(CONFIGURE OUTPUT "${file}" CONTENT [[#include "socket/patterns.hpp"

#include <array>

namespace zlink::socket {

std::span<const engine::pattern_traits *const> built_patterns () noexcept
{
    static const std::array chosen{@rows@};
    return chosen;
}

}  // namespace zlink::socket
]] @ONLY)
endfunction()
