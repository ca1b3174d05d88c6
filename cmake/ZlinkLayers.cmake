# A layer is a static library of everything in its folder but tests, fuzz
# targets and benchmarks. The tests beside the code become one test binary per
# layer; each x_fuzz.cpp becomes a fuzz target, or where clang's engine is not
# in use a program that replays the committed corpus as a test.

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
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

set(ZLINK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND ZLINK_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused-private-field>)  # bytes kept for later
endif()
# Of tests, many of whose files are one unit: a name of one shadows nothing of another.
set(ZLINK_TEST_WARNINGS ${ZLINK_WARNINGS} -Wno-shadow)

find_package(Threads REQUIRED)

# The C++ library, for C programs that link libzlink.a.
set(zlink_cxx_runtime)
foreach(runtime IN ITEMS stdc++ c++)
  if(runtime IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    set(zlink_cxx_runtime ${runtime})
  endif()
endforeach()

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

# Where the linker knows it.
include(CheckLinkerFlag)
function(zlink_link_with flag)
  string(MAKE_C_IDENTIFIER "ZLINK_LINKS_${flag}" works)
  check_linker_flag(CXX "-Wl,-z,${flag}" ${works})
  if(${works})
    add_link_options("-Wl,-z,${flag}")
  endif()
endfunction()

# What is shipped: addresses to be filled in by the loader are packed (glibc 2.36
# or newer reads them).
if(ZLINK_LTO OR ZLINK_MINIMAL)
  zlink_link_with(pack-relative-relocs)
endif()

# Small before fast: each layer is one unit, and what nobody can call is gone.
# Segments share pages.
if(ZLINK_MINIMAL)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-Oz ZLINK_KNOWS_OZ)  # as -Os, and further
  check_cxx_compiler_flag(-malign-data=abi ZLINK_KNOWS_MALIGN_DATA)  # of x86: no gaps between constants
  set(smallest $<IF:$<BOOL:${ZLINK_KNOWS_OZ}>,-Oz,-Os> $<$<BOOL:${ZLINK_KNOWS_MALIGN_DATA}>:-malign-data=abi>)
  # Nobody asks what type an object is of; all symbols are bound at the start, so
  # that a call needs no stub to find its way.
  add_compile_options(${smallest} $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> -fno-plt)
  add_link_options(${smallest} $<$<CXX_COMPILER_ID:GNU>:-flto-partition=one> -s -Wl,--gc-sections -Wl,--as-needed)
  add_link_options(-Wl,--build-id=none)  # it has no symbols that are kept elsewhere
  check_linker_flag(CXX -Wl,--no-ld-generated-unwind-info ZLINK_KNOWS_NO_UNWIND_INFO)
  if(ZLINK_KNOWS_NO_UNWIND_INFO)
    add_link_options(-Wl,--no-ld-generated-unwind-info)  # nothing is thrown through a stub
  endif()
  zlink_link_with(noseparate-code)
endif()

# zlink_in_few_units(TARGETS...): many of their files are one unit, as most of the work is
# what they include: tests, the command, and under the sanitizers, whose builds are slow,
# the layers. The libraries as they are shipped stay file by file, which shows that each
# header stands on its own. A target that is not built is passed over.
function(zlink_in_few_units)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target} AND NOT ZLINK_FUZZ)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  endforeach()
endfunction()

# zlink_alone(FILES...): of the current folder, never of one unit with others, which have
# the same names for something else.
function(zlink_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(ZLINK_SANITIZE)
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=${ZLINK_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZLINK_SANITIZE})
  # The check of an object's type opens a pipe to look at memory: it reports
  # errors where there are none once a test has used up the descriptors.
  if(ZLINK_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()
if(ZLINK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_custom_target(fuzz_targets)
endif()

# zlink_layer(base DEPENDS ...)
function(zlink_layer name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")
  if(NOT sources)
    add_library(zlink_${name} INTERFACE)
    return()
  endif()
  add_library(zlink_${name} STATIC ${sources})
  if(ZLINK_SANITIZE)
    zlink_in_few_units(zlink_${name})
  endif()
  target_include_directories(zlink_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(zlink_${name} PRIVATE ${ZLINK_WARNINGS})
  foreach(layer IN LISTS arg_DEPENDS)
    target_link_libraries(zlink_${name} PUBLIC zlink_${layer})
  endforeach()
  target_link_libraries(zlink_${name} PUBLIC Threads::Threads)

  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  if(ZLINK_TESTS AND tests)
    zlink_test(${name}_test MANY SOURCES ${tests} LIBRARIES zlink_${name})
  endif()

  file(GLOB targets CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_fuzz.cpp")
  foreach(source IN LISTS targets)
    zlink_fuzz_target("${source}" zlink_${name})
  endforeach()
endfunction()

# zlink_small_first(NAMES...): files of this layer that run when something is made,
# asked about or goes wrong, never for a message: in what is shipped they are
# built for size.
function(zlink_small_first)
  if(ZLINK_LTO)
    list(TRANSFORM ARGN APPEND ".cpp")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -Os)
  endif()
endfunction()

# zlink_parsed_once(target): what all tests include is parsed once for all targets of a
# kind: programs, or else what is linked into some.
function(zlink_parsed_once target)
  get_target_property(kind ${target} TYPE)
  set(keeper zlink_headers_of_${kind})
  if(NOT TARGET ${keeper})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/headers/main.cpp" CONTENT "int main () { return 0; }\n")
    if(kind STREQUAL EXECUTABLE)
      add_executable(${keeper} "${PROJECT_BINARY_DIR}/headers/main.cpp")
    else()
      add_library(${keeper} OBJECT "${PROJECT_BINARY_DIR}/headers/main.cpp")
    endif()
    target_link_libraries(${keeper} PRIVATE GTest::gtest)
    zlink_as_test(${keeper})
    target_precompile_headers(${keeper} PRIVATE <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${keeper})
  # g++ 12 no longer knows what of them is the C++ library's own, of which it says
  # nothing otherwise.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
  endif()
endfunction()

# Compiled as tests are: a quarter less to wait for, and half under AddressSanitizer;
# what they test is compiled as it is shipped.
function(zlink_as_test name)
  target_compile_options(${name} PRIVATE ${ZLINK_TEST_WARNINGS} $<$<CONFIG:Release>:-O1>)
  if(ZLINK_SANITIZE MATCHES address)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  zlink_without_lto(${name})
endfunction()

# zlink_test_program(name SOURCES ... LIBRARIES ...): a GoogleTest binary.
function(zlink_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  zlink_as_test(${name})
  list(LENGTH arg_SOURCES files)
  if(files GREATER 2)
    zlink_parsed_once(${name})
  endif()
endfunction()

# Links in a second where the library's own take half a minute.
function(zlink_without_lto name)
  if(ZLINK_LTO)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_link_options(${name} PRIVATE -fno-lto)
  endif()
endfunction()

# zlink_test(name SOURCES ... LIBRARIES ... [LABELS ...] [TIMEOUT seconds]): the
# same, its cases registered with ctest. Labels with a meaning are listed in
# tests/CMakeLists.txt. MANY: of a thousand short cases; under a sanitizer, whose
# processes are slow to start and to end, they are registered in a few shards. FEW:
# they always are.
function(zlink_test name)
  cmake_parse_arguments(arg "MANY;FEW" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  zlink_test_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
  include(GoogleTest)
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  # Sizes that no machine has come from hostile peers: an allocation that fails
  # is an answer, not a bug.
  if(ZLINK_SANITIZE MATCHES address)
    list(APPEND properties ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1")
  elseif(ZLINK_SANITIZE MATCHES thread)
    list(APPEND properties ENVIRONMENT "TSAN_OPTIONS=allocator_may_return_null=1")
  endif()
  if(arg_FEW OR (arg_MANY AND ZLINK_SANITIZE))
    zlink_test_shards(${name} ${properties})
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

function(zlink_test_shards name)
  set(shards 8)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.shard_${shard}
      COMMAND ${CMAKE_COMMAND} -E env GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${shard} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.shard_${shard} PROPERTIES ${ARGN} TIMEOUT 600)
  endforeach()
endfunction()

function(zlink_fuzz_target source library)
  get_filename_component(name "${source}" NAME_WE)
  if(ZLINK_FUZZ)
    add_executable(${name} "${source}")
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz_targets ${name})
  elseif(ZLINK_TESTS)
    add_executable(${name} "${source}" "${PROJECT_SOURCE_DIR}/fuzz/replay.cpp")
    add_test(NAME fuzz.${name} COMMAND ${name} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
    zlink_without_lto(${name})
  else()
    return()
  endif()
  target_compile_options(${name} PRIVATE ${ZLINK_WARNINGS})
  target_link_libraries(${name} PRIVATE ${library})
endfunction()
