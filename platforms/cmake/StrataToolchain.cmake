# Compiler settings shared by every target, and the two functions that every folder's CMakeLists.txt uses.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(strata_settings INTERFACE)
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

# strata_library(NAME SOURCES... LINKS...): one static library per folder; sources that use SystemC pass SYSTEMC.
function(strata_library name)
  cmake_parse_arguments(ARG "SYSTEMC" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC strata_settings ${ARG_LINKS})
  string(REGEX REPLACE "^strata_" "" short ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  add_library(Strata::${short} ALIAS ${name})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PUBLIC Strata::systemc)
    if(STRATA_PCH)
      target_precompile_headers(${name} PRIVATE <tlm> <vector> <string>)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY STRATA_LIBRARIES ${name})
endfunction()

# strata_test(NAME LABEL label SOURCES... LINKS... [SYSTEMC]): a Catch2 program; each TEST_CASE becomes one CTest
# test and runs in a process of its own (a SystemC process elaborates once).
function(strata_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "LABEL;TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PRIVATE strata_test_sc_main)
  else()
    target_link_libraries(${name} PRIVATE strata_test_main)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
