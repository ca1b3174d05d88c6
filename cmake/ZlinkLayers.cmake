# A layer is a static library of everything in its folder but tests, fuzz
# targets and benchmarks; the tests beside the code become one test binary
# per layer.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

set(ZLINK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)

find_package(Threads REQUIRED)

find_program(ZLINK_CCACHE ccache)
mark_as_advanced(ZLINK_CCACHE)
if(ZLINK_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${ZLINK_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ZLINK_CCACHE}")
endif()

# Objects carry machine code beside the intermediate form, so that tests link
# quickly without whole-program optimisation, and libzlink.a suits any linker.
if(ZLINK_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  add_compile_options(-ffat-lto-objects)
endif()

if(ZLINK_SANITIZE)
  add_compile_options(-O1 -g -fno-omit-frame-pointer -fsanitize=${ZLINK_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZLINK_SANITIZE})
endif()
if(ZLINK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# zlink_layer(base DEPENDS ...)
function(zlink_layer name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")
  add_library(zlink_${name} STATIC ${sources})
  target_include_directories(zlink_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  target_compile_options(zlink_${name} PRIVATE ${ZLINK_WARNINGS})
  foreach(layer IN LISTS arg_DEPENDS)
    target_link_libraries(zlink_${name} PUBLIC zlink_${layer})
  endforeach()
  target_link_libraries(zlink_${name} PUBLIC Threads::Threads)

  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  if(ZLINK_TESTS AND tests)
    zlink_test(${name}_test SOURCES ${tests} LIBRARIES zlink_${name})
  endif()
endfunction()

# zlink_test(name SOURCES ... LIBRARIES ... [LABELS ...] [TIMEOUT seconds]): one
# GoogleTest binary, its cases registered with ctest. Labels with a meaning are
# listed in tests/CMakeLists.txt.
function(zlink_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${ZLINK_WARNINGS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  if(ZLINK_LTO)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_link_options(${name} PRIVATE -fno-lto)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
