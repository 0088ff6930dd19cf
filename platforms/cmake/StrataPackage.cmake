# cpack -G DEB: Debian packages of the files that cmake --install copies. `strata` runs by itself;
# `strata-dev` holds what programs, plug-ins and benches of the user need to build. dpkg-shlibdeps finds the
# dependencies of `strata`.
set(CPACK_PACKAGE_NAME strata)
set(CPACK_PACKAGE_VENDOR "Strata")
set(STRATA_MAINTAINER "The maintainers of Strata <strata@strata.invalid>" CACHE STRING "Who answers for Debian packages that are made here")
set(CPACK_PACKAGE_CONTACT "${STRATA_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL strata dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_STRATA_PACKAGE_NAME strata)
set(CPACK_DEBIAN_STRATA_PACKAGE_SECTION science)
set(CPACK_DEBIAN_STRATA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_STRATA_PACKAGE_SUGGESTS "python3, sqlite3, chromium")
set(CPACK_COMPONENT_STRATA_DESCRIPTION "${PROJECT_DESCRIPTION}
 The program strata with the machines, workloads and papers that it comes with.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME strata-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "strata (= ${PROJECT_VERSION}), pkg-config, libsystemc-dev, libboost-dev, libboost-program-options-dev, "
  "libyaml-cpp-dev, nlohmann-json3-dev, libprotobuf-dev, liblzma-dev, liblz4-dev, libzstd-dev, libsqlite3-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Libraries and headers of Strata
 For programs that embed it, plug-ins and test benches: find_package(Strata).")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strata RENAME copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strata PATTERN exercises EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strata-dev RENAME copyright COMPONENT dev)
include(CPack)
