# Debian packages of what ZlinkInstall.cmake installs, one for each component:
# ./dev package, or cpack in the build's folder.
#
# libzmq.so.5 comes in two. libzlink-zmq5 has it in a folder of its own beside
# Debian's, for programs that are started with LD_LIBRARY_PATH=/usr/lib/zlink;
# zlink-libzmq5 takes the place of Debian's libzmq5 for the whole machine.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zlink)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "zlink developers <zlink@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_COMPONENTS_ALL)

# zlink_deb(component NAME n TEXT t [SECTION s] [DEPENDS d] [INSTEAD p]): INSTEAD is the
# package of Debian's whose place it takes, with the version that it stands for.
set(zlink_deb_settings)
function(zlink_deb component)
  cmake_parse_arguments(arg "" "NAME;TEXT;SECTION;DEPENDS;INSTEAD;AS_VERSION" "" ${ARGN})
  if(NOT arg_SECTION)
    set(arg_SECTION libs)
  endif()
  string(TOUPPER ${component} upper)
  set(key CPACK_DEBIAN_${upper})
  set(${key}_PACKAGE_NAME ${arg_NAME} PARENT_SCOPE)
  set(${key}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${arg_TEXT}" PARENT_SCOPE)
  set(${key}_DESCRIPTION "${arg_TEXT}" PARENT_SCOPE)
  if(arg_DEPENDS)
    set(${key}_PACKAGE_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
  endif()
  if(arg_INSTEAD)
    set(${key}_PACKAGE_PROVIDES "${arg_INSTEAD} (= ${arg_AS_VERSION})" PARENT_SCOPE)
    set(${key}_PACKAGE_CONFLICTS ${arg_INSTEAD} PARENT_SCOPE)
    set(${key}_PACKAGE_REPLACES ${arg_INSTEAD} PARENT_SCOPE)
  endif()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(library libzlink${PROJECT_VERSION_MAJOR})
zlink_deb(zlink NAME ${library} TEXT "messaging library that speaks ZeroMQ's protocol")
if(TARGET libzlink_etcd)
  zlink_deb(zlink_etcd NAME libzlink-etcd${PROJECT_VERSION_MAJOR} DEPENDS "${library} (= ${PROJECT_VERSION})"
    TEXT "what zlink needs for services over an etcd")
endif()
set(of_static "${library} (= ${PROJECT_VERSION})")
if(ZLINK_CURVE)
  string(APPEND of_static ", libsodium-dev")  # programs that link libzlink.a need it
endif()
if(ZLINK_WS OR ZLINK_TLS)
  string(APPEND of_static ", libssl-dev")
endif()
zlink_deb(zlink_dev NAME libzlink-dev SECTION libdevel DEPENDS "${of_static}"
  TEXT "headers and static library of zlink, for C and C++")
zlink_deb(zmq_beside NAME libzlink-zmq5 TEXT "libzmq.so.5 of zlink in a folder of its own")
zlink_deb(zmq NAME zlink-libzmq5 INSTEAD libzmq5 AS_VERSION 4.3.5 TEXT "libzmq.so.5 of zlink in the place of libzmq5")
zlink_deb(zmq_dev NAME zlink-libzmq-dev SECTION libdevel DEPENDS "zlink-libzmq5 (= ${PROJECT_VERSION})"
  INSTEAD libzmq3-dev AS_VERSION 4.3.5 TEXT "zmq.h for libzmq.so.5 of zlink")
if(TARGET zlink)
  zlink_deb(tool NAME zlink-tools SECTION utils TEXT "the command zlink: explains errors and options, measures")
endif()
include(CPack)
