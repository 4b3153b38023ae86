# make install: libraries, headers, the command, its manual page and completion, and what other
# projects need to find them: find_package(holon) [COMPONENTS static] and pkg-config holon.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holon)

install(DIRECTORY include/holon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS holon EXPORT holon-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS holon_static EXPORT holon-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT holon-targets NAMESPACE holon:: DESTINATION ${package_dir})
install(EXPORT holon-static-targets NAMESPACE holon:: DESTINATION ${package_dir})

configure_package_config_file(cmake/holon-config.cmake.in holon-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(holon-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/holon-config.cmake ${PROJECT_BINARY_DIR}/holon-config-version.cmake
        DESTINATION ${package_dir})

# What a program that links libholon.a needs besides. No Requires.private: users of the shared library
# need no development files of ours, and our headers include none.
set(HOLON_PC_LIBS -lm)
if(NOT HOLON_MINIMAL)
  list(PREPEND HOLON_PC_LIBS ${YAML_LDFLAGS} ${HDF5_LDFLAGS} ${EXPAT_LDFLAGS} -pthread)
endif()
list(JOIN HOLON_PC_LIBS " " HOLON_PC_LIBS)
# Relative to itself, so that an installed tree may be moved.
file(RELATIVE_PATH HOLON_PC_PREFIX
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/holon.pc.in holon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
if(TARGET holon_command)
  install(TARGETS holon_command DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS holon_component_runtime LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/holon)
  if(TARGET holon_fmu)
    install(TARGETS holon_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/holon)
    install(TARGETS holon_fmu_host RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/holon)
  endif()
  install(FILES tools/holon/holon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES tools/holon/holon-completion.bash RENAME holon OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
if(TARGET holon_step)
  install(TARGETS holon_step LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/holon COMPONENT step)
endif()
# Machines to begin with.
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/holon/models)

# ---- a package for Debian: `make dist` --------------------------------------------------------------

set(CPACK_PACKAGE_NAME holon)
set(CPACK_PACKAGE_CONTACT "The Holon authors <holon@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "multibody dynamics: how a machine moves, with an error bar")
set(CPACK_PACKAGE_DESCRIPTION
    "Holon computes the motion of machines with joints, closed loops, springs, tyres and sealed\n\
 components. It comes as a command, a C library and a viewer; models are YAML or JSON files.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# without the plugin for STEP files, which would make the package need OpenCASCADE
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};Unspecified;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_GENERATOR DEB)
include(CPack)
