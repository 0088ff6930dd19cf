# strata_add_plugin(NAME SOURCE...): NAME.so for `strata --plugin NAME.so`. It links nothing: the program that
# loads it provides Strata and SystemC, once.
function(strata_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:Strata::platforms,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:Strata::systemc,INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:Strata::systemc,INTERFACE_COMPILE_OPTIONS>)
endfunction()
