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
if(ZLINK_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
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

# zlink_test(name SOURCES ... LIBRARIES ...): one GoogleTest binary, its cases
# registered with ctest.
function(zlink_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${ZLINK_WARNINGS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
endfunction()
