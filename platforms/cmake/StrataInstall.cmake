# cmake --install: libraries, headers, netlists and timing sets, and the package that find_package(Strata)
# reads. Files needed only by programs of the user are the component `dev`, all others `strata`, as in the
# packages of StrataPackage.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(strata_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Strata)
get_property(strata_libraries GLOBAL PROPERTY STRATA_LIBRARIES)

# The targets that users link: one per layer instead of a library per folder.
foreach(layer models traces platforms)
  add_library(strata_layer_${layer} INTERFACE)
  set_target_properties(strata_layer_${layer} PROPERTIES EXPORT_NAME ${layer})
  add_library(Strata::${layer} ALIAS strata_layer_${layer})
endforeach()
foreach(library ${strata_libraries})
  get_target_property(folder ${library} SOURCE_DIR)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
  string(REGEX REPLACE "/.*" "" layer ${folder})
  target_link_libraries(strata_layer_${layer} INTERFACE ${library})
endforeach()

install(TARGETS ${strata_libraries} strata_cli strata_c strata_settings strata_systemc
  strata_layer_models strata_layer_traces strata_layer_platforms EXPORT StrataTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT StrataTargets NAMESPACE Strata:: DESTINATION ${strata_package_dir} COMPONENT dev)
foreach(layer models traces platforms)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata COMPONENT dev
    FILES_MATCHING PATTERN "*.h"
    PATTERN samples EXCLUDE PATTERN cli EXCLUDE PATTERN cmake EXCLUDE
    PATTERN machines EXCLUDE)
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/StrataConfig.cmake.in
  ${PROJECT_BINARY_DIR}/StrataConfig.cmake INSTALL_DESTINATION ${strata_package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
install(FILES ${PROJECT_SOURCE_DIR}/platforms/cli/program.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata/platforms/cli
  COMPONENT dev)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/StrataConfig.cmake ${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/StrataPlugin.cmake
  DESTINATION ${strata_package_dir} COMPONENT dev)

# For shells and scripts: completion, a manual page made from --help, the Python package.
install(FILES ${PROJECT_SOURCE_DIR}/platforms/cli/shell/strata.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME strata)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/python DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/platforms
  FILES_MATCHING PATTERN "*.py")
# The folder that Debian's python3 searches for packages.
install(CODE "
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder \"\$ENV{DESTDIR}/usr/lib/python3/dist-packages\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../../../${CMAKE_INSTALL_DATADIR}/strata/platforms/python/strata \"\${folder}/strata\" SYMBOLIC)
  endif()" COMPONENT strata)
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
  file(MAKE_DIRECTORY \"\${folder}\")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/platforms/cli/shell/make_man $<TARGET_FILE:strata>
    OUTPUT_FILE \"\${folder}/strata.1\" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR \"no manual page could be made: \${failed}\")
  endif()" COMPONENT strata)
