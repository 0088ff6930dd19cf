# Compiler settings shared by every target, and the functions that every folder's CMakeLists.txt uses.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(strata_settings INTERFACE)
target_compile_features(strata_settings INTERFACE cxx_std_17)
target_include_directories(strata_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/strata>)
target_compile_options(strata_settings INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Wno-overloaded-virtual>
  $<$<BOOL:${STRATA_WERROR}>:$<BUILD_INTERFACE:-Werror>>)
if(STRATA_SANITIZE)
  target_compile_options(strata_settings INTERFACE -fsanitize=${STRATA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(strata_settings INTERFACE -fsanitize=${STRATA_SANITIZE})
endif()
if(STRATA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "STRATA_FUZZ: libFuzzer comes with clang; configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(strata_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(STRATA_COVERAGE)
  target_compile_options(strata_settings INTERFACE --coverage)
  target_link_options(strata_settings INTERFACE --coverage)
endif()

# strata_precompile(TARGET KIND): TARGET reads headers that are precompiled once for all targets of its kind.
# Reading SystemC takes longer than compiling most sources, and the standard library longer than half of them. Kinds:
#   plain    the standard library; for targets without SystemC
#   systemc  the standard library and SystemC
# A folder with its own compile options sets strata_precompiled_for to a word: headers must be compiled with the options
# of the targets that read them.
set(strata_headers_plain <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <string>
  <string_view> <vector>)
set(strata_headers_systemc <tlm> ${strata_headers_plain})
function(strata_precompile target kind)
  if(NOT STRATA_PCH)
    return()
  endif()
  set(owner strata_precompiled_${kind}${strata_precompiled_for})
  if(NOT TARGET ${owner})
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${owner} PRIVATE strata_settings $<$<STREQUAL:${kind},systemc>:Strata::systemc>)
    target_precompile_headers(${owner} PRIVATE ${strata_headers_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# strata_unity(TARGET...): compiles the sources of a target in groups. Two sources of a group cannot use one
# name for different things, not even in unnamed namespaces.
function(strata_unity)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ${STRATA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# strata_library(NAME [SYSTEMC] [ALIAS name] SOURCES... LINKS...): one static library per folder; pass SYSTEMC
# if its sources use SystemC. Users see it as Strata::<name without strata_>, or as Strata::<ALIAS>.
function(strata_library name)
  cmake_parse_arguments(ARG "SYSTEMC" "ALIAS" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC strata_settings ${ARG_LINKS})
  string(REGEX REPLACE "^strata_" "" short ${name})
  if(ARG_ALIAS)
    set(short ${ARG_ALIAS})
  endif()
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  strata_unity(${name})
  add_library(Strata::${short} ALIAS ${name})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PUBLIC Strata::systemc)
    strata_precompile(${name} systemc)
  else()
    strata_precompile(${name} plain)
  endif()
  set_property(GLOBAL APPEND PROPERTY STRATA_LIBRARIES ${name})
endfunction()

# strata_test(NAME LABEL label SOURCES... LINKS... [SYSTEMC] [SKIP]): a Catch2 program; each TEST_CASE becomes
# one CTest test and runs in its own process (a SystemC process elaborates once). With SKIP, a test that
# prints "skipped: " counts as skipped.
function(strata_test name)
  cmake_parse_arguments(ARG "SYSTEMC;SKIP" "LABEL;TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(skip "")
  if(ARG_SKIP)
    set(skip SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
  set(main strata_test_main${strata_test_suffix})
  if(ARG_SYSTEMC)
    set(main strata_test_sc_main${strata_test_suffix})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${main} ${ARG_LINKS})
  if(STRATA_PCH)
    target_precompile_headers(${name} REUSE_FROM ${main})
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} ${skip}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# strata_bench(NAME SOURCES... LINKS...): code shared by several SystemC tests, compiled once.
function(strata_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC strata_test_runner Strata::systemc ${ARG_LINKS})
  if(STRATA_PCH)
    target_precompile_headers(${name} REUSE_FROM strata_test_sc_main${strata_test_suffix})
  endif()
endfunction()
