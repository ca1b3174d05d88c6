# What `cmake --install` puts where, and the files by which other builds find
# it: zlink.pc and libzmq.pc for pkg-config, zlinkConfig.cmake and
# ZeroMQConfig.cmake for find_package. Nothing in them names the prefix, so an
# installed tree may be moved. The components are those of ZlinkPackages.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(zlink_pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH zlink_pc_to_prefix "/${zlink_pc_folder}" "/")
string(REGEX REPLACE "/$" "" zlink_pc_to_prefix "${zlink_pc_to_prefix}")

set(zlink_crypto_libs)
if(ZLINK_CURVE)
  string(APPEND zlink_crypto_libs "-lsodium ")
endif()
if(ZLINK_TLS)
  string(APPEND zlink_crypto_libs "-lssl ")
endif()
if(ZLINK_WS OR ZLINK_TLS)
  string(APPEND zlink_crypto_libs "-lcrypto ")
endif()

# zlink_package(NAME VERSION v PC file COMPONENT c [NAMESPACE n::] TARGETS ...): the
# package that holds the targets, named as find_package and pkg-config ask for
# it. What programs need to run is of the component, what builds need of c_dev.
function(zlink_package package)
  cmake_parse_arguments(arg "" "VERSION;PC;COMPONENT;NAMESPACE" "TARGETS" ${ARGN})
  set(dev ${arg_COMPONENT}_dev)
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/${package}")
  install(TARGETS ${arg_TARGETS} EXPORT ${package}Targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${arg_COMPONENT} NAMELINK_COMPONENT ${dev}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${dev}
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT ${package}Targets DESTINATION "${folder}" COMPONENT ${dev} NAMESPACE "${arg_NAMESPACE}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/${package}Config.cmake.in"
    "${PROJECT_BINARY_DIR}/cmake/${package}Config.cmake" INSTALL_DESTINATION "${folder}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/${package}ConfigVersion.cmake"
    VERSION ${arg_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/cmake/${package}Config.cmake"
    "${PROJECT_BINARY_DIR}/cmake/${package}ConfigVersion.cmake" DESTINATION "${folder}" COMPONENT ${dev})
  set(zlink_pc_version ${arg_VERSION})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${arg_PC}.in" "${PROJECT_BINARY_DIR}/cmake/${arg_PC}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/cmake/${arg_PC}" DESTINATION "${zlink_pc_folder}" COMPONENT ${dev})
endfunction()

set_target_properties(libzlink PROPERTIES EXPORT_NAME zlink)
set_target_properties(libzlink_static PROPERTIES EXPORT_NAME zlink_static)
zlink_package(zlink VERSION ${PROJECT_VERSION} PC zlink.pc COMPONENT zlink NAMESPACE zlink::
  TARGETS libzlink libzlink_static)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/zlink" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT zlink_dev)
install(FILES "${PROJECT_SOURCE_DIR}/compat/zlink.h" "${PROJECT_SOURCE_DIR}/compat/zlink_utils.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT zlink_dev)

# Found by its name when it is needed; nothing is linked to it.
if(TARGET libzlink_etcd)
  install(TARGETS libzlink_etcd LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT zlink_etcd NAMELINK_SKIP)
endif()

# The names that libzmq's own package gives its users: target libzmq, and the
# version of the interface.
zlink_package(ZeroMQ VERSION 4.3.5 PC libzmq.pc COMPONENT zmq TARGETS libzmq)
install(FILES "${PROJECT_SOURCE_DIR}/compat/zmq.h" "${PROJECT_SOURCE_DIR}/compat/zmq_utils.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT zmq_dev)
# Beside the system's own: only when it is asked for.
install(FILES $<TARGET_FILE:libzmq> DESTINATION "${CMAKE_INSTALL_LIBDIR}/zlink" RENAME $<TARGET_SONAME_FILE_NAME:libzmq>
  COMPONENT zmq_beside EXCLUDE_FROM_ALL)

if(TARGET zlink)
  install(TARGETS zlink RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tool)
  install(DIRECTORY "${ZLINK_PAGES}/man/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT tool)
  # Where each shell looks for what other packages bring.
  install(FILES "${ZLINK_PAGES}/completion/zlink" COMPONENT tool
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${ZLINK_PAGES}/completion/_zlink" COMPONENT tool
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${ZLINK_PAGES}/completion/zlink.fish" COMPONENT tool
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT zlink)

include(ZlinkPackages)
