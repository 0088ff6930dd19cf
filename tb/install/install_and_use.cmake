# Installs BUILD_DIR into an empty folder, then configures, builds and runs USER_DIR, and the programs that PAGES/docs/guide/embedding.md
# and PAGES/docs/guide/netlist-language.md print, against what is there. Then the plug-ins of PAGES/docs/guide/plugins.md and of PLUGINS_DIR.
cmake_minimum_required(VERSION 3.18)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The programs that a page prints, from "```cpp" to "```", as a source each.
function(programs_of page name)
  file(READ ${page} text)
  string(FIND "${text}" "int sc_main" program)
  string(SUBSTRING "${text}" 0 ${program} before)
  string(FIND "${before}" "```cpp\n" begin REVERSE)
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  file(WRITE ${WORK_DIR}/samples/${name}.cpp "${text}")
endfunction()

# The files that a page prints, each behind "<!-- file: NAME -->".
function(files_of page folder)
  file(READ ${page} text)
  while(TRUE)
    string(FIND "${text}" "<!-- file: " begin)
    if(begin EQUAL -1)
      return()
    endif()
    math(EXPR begin "${begin} + 11")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" " -->" end)
    string(SUBSTRING "${text}" 0 ${end} name)
    string(FIND "${text}" "```" begin)
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n" begin)
    math(EXPR begin "${begin} + 1")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "```" end)
    string(SUBSTRING "${text}" 0 ${end} content)
    file(WRITE ${folder}/${name} "${content}")
    string(SUBSTRING "${text}" ${end} -1 text)
  endwhile()
endfunction()

# Configures and builds a user's project.
function(build source folder)
  run(${CMAKE_COMMAND} -S ${source} -B ${folder} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK_DIR}/installed
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder})
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
programs_of(${PAGES}/docs/guide/embedding.md embedding)
programs_of(${PAGES}/docs/guide/netlist-language.md netlist_language)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
build(${USER_DIR} ${WORK_DIR}/build -DSAMPLES=${WORK_DIR}/samples)
run(${WORK_DIR}/build/user)
message("${output}")
run(${WORK_DIR}/build/netlist_language)
run(${WORK_DIR}/build/embedding)
string(REGEX MATCH "[0-9]+ cycles" took "${output}")  # behind SystemC's own lines
message("the program of docs/guide/embedding.md took ${took}")

files_of(${PAGES}/docs/guide/plugins.md ${WORK_DIR}/examples)
build(${WORK_DIR}/examples ${WORK_DIR}/examples/build -DCMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror\ -Wno-maybe-uninitialized)  # gcc 12 sees some in its strings
build(${PLUGINS_DIR} ${WORK_DIR}/plugins -DSOURCES=${PAGES})
run(${PLUGINS_DIR}/../plugins_test.sh ${WORK_DIR}/installed/bin/strata ${WORK_DIR}/examples ${WORK_DIR}/plugins ${PAGES}/docs/guide/plugins.md)

files_of(${PAGES}/docs/guide/c-interface.md ${WORK_DIR}/c)
build(${WORK_DIR}/c ${WORK_DIR}/c/build)
execute_process(COMMAND ${WORK_DIR}/c/build/bench WORKING_DIRECTORY ${PAGES} OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output MATCHES "answered after [1-9][0-9]+ cycles")
  message(FATAL_ERROR "the program of docs/guide/c-interface.md: ${result}: ${output}")
endif()
