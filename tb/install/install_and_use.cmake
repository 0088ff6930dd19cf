# Installs BUILD_DIR into an empty folder, then configures, builds and runs USER_DIR, and the programs that PAGES/README.md
# and PAGES/docs/netlist-language.md print, against what is there.
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

file(REMOVE_RECURSE ${WORK_DIR})
programs_of(${PAGES}/README.md readme)
programs_of(${PAGES}/docs/netlist-language.md netlist_language)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
run(${CMAKE_COMMAND} -S ${USER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK_DIR}/installed
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DSAMPLES=${WORK_DIR}/samples)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/user)
message("${output}")
run(${WORK_DIR}/build/netlist_language)
run(${WORK_DIR}/build/readme)
string(REGEX MATCH "[0-9]+ cycles" took "${output}")  # behind SystemC's own lines
message("the program of README.md took ${took}")
