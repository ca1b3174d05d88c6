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

set(ZLINK_TYPES_talking REQ REP DEALER ROUTER STREAM CLIENT SERVER PEER)
set(ZLINK_TYPES_topics PUB SUB XPUB XSUB RADIO DISH)
set(ZLINK_TYPES_datagrams RADIO DISH DGRAM)

# zlink_types_need(RESULT FAMILIES...): whether a type is built that is of one of
# these families.
function(zlink_types_need result)
  string(TOUPPER "${ZLINK_SOCKET_TYPES}" chosen)
  set(needed FALSE)
  if(NOT chosen)
    set(needed TRUE)
  endif()
  foreach(family IN LISTS ARGN)
    foreach(type IN LISTS ZLINK_TYPES_${family})
      if(type IN_LIST chosen)
        set(needed TRUE)
      endif()
    endforeach()
  endforeach()
  set(${result} ${needed} PARENT_SCOPE)
endfunction()

# zlink_leave_out(TARGET): in the library of the engine, what none of the socket
# types that are built does is taken out, a whole file each, and one file of
# src/engine/left_out put in that answers for it.
function(zlink_leave_out target)
  set(talking_files socket_talk.cpp socket_names.cpp)
  set(topics_files socket_topics.cpp socket_groups.cpp socket_patterns.cpp socket_values.cpp socket_backlog.cpp
      socket_joined.cpp socket_audience.cpp socket_listeners.cpp in_pairs.cpp)
  set(datagrams_files socket_datagrams.cpp datagram_stream.cpp)
  get_target_property(sources ${target} SOURCES)
  foreach(what IN ITEMS talking topics datagrams)
    zlink_types_need(needed ${what})
    if(NOT needed)
      foreach(file IN LISTS ${what}_files)
        list(FILTER sources EXCLUDE REGEX "/${file}$")
      endforeach()
      list(APPEND sources "${PROJECT_SOURCE_DIR}/src/engine/left_out/${what}.cpp")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
endfunction()

# zlink_do_without(TARGET FAMILY NAMES...): where no type of the family is built,
# each of these files of a layer gives way to the one of its name in the layer's
# left_out.
function(zlink_do_without target family)
  zlink_types_need(needed ${family})
  if(NOT needed)
    zlink_replace(${target} ${ARGN})
  endif()
endfunction()

# zlink_make_do(TARGET NAMES...): in a minimal library each of these files of a
# layer gives way to the one of its name in the layer's left_out.
function(zlink_make_do target)
  if(ZLINK_MINIMAL)
    zlink_replace(${target} ${ARGN})
  endif()
endfunction()

# zlink_replace(TARGET NAMES...): each of these files of a layer gives way to the
# one of its name in the layer's left_out, or to nothing where there is none.
function(zlink_replace target)
  get_target_property(sources ${target} SOURCES)
  foreach(name IN LISTS ARGN)
    list(FILTER sources EXCLUDE REGEX "/${name}.cpp$")
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/left_out/${name}.cpp")
      list(APPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/left_out/${name}.cpp")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
endfunction()
