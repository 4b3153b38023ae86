# What the library stands on. Sets
#   HOLON_FEATURES              compile definitions HOLON_WITH_...=1
#   HOLON_DEPENDENCY_INCLUDES   system include folders
#   HOLON_DEPENDENCY_LIBRARIES  what a program linking the static library needs
# The minimal build needs libm only; with HOLON_YAML libyaml.a becomes part of the library.

set(HOLON_FEATURES)
set(HOLON_DEPENDENCY_INCLUDES)
set(HOLON_DEPENDENCY_LIBRARIES)

if(NOT HOLON_MINIMAL)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(YAML QUIET IMPORTED_TARGET yaml-0.1)
  pkg_check_modules(EXPAT QUIET IMPORTED_TARGET expat)
  pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)

  set(missing)
  foreach(pair YAML_FOUND:libyaml HDF5_FOUND:HDF5)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 variable)
    list(GET pair 1 name)
    if(NOT ${variable})
      list(APPEND missing ${name})
    endif()
  endforeach()
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "Not found: ${missing}. On Debian `scripts/install-packages run` installs "
            "what is missing; -DHOLON_MINIMAL=ON builds the library without any of them.")
  endif()

  list(APPEND HOLON_FEATURES HOLON_WITH_YAML=1 HOLON_WITH_HDF5=1 HOLON_WITH_THREADS=1
                             HOLON_WITH_DYNAMIC=1)
  list(APPEND HOLON_DEPENDENCY_INCLUDES ${YAML_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS})
  list(APPEND HOLON_DEPENDENCY_LIBRARIES PkgConfig::YAML PkgConfig::HDF5 Threads::Threads
                                         ${CMAKE_DL_LIBS})
  if(EXPAT_FOUND)
    list(APPEND HOLON_FEATURES HOLON_WITH_EXPAT=1)
    list(APPEND HOLON_DEPENDENCY_INCLUDES ${EXPAT_INCLUDE_DIRS})
    list(APPEND HOLON_DEPENDENCY_LIBRARIES PkgConfig::EXPAT)
  else()
    message(STATUS "expat is not there: URDF, SDF and MJCF files will be refused")
  endif()
endif()
if(HOLON_MINIMAL AND HOLON_YAML)
  find_path(YAML_INCLUDE yaml.h)
  find_library(YAML_ARCHIVE libyaml.a)
  if(NOT YAML_INCLUDE OR NOT YAML_ARCHIVE)
    message(FATAL_ERROR "Not found: libyaml with libyaml.a (Debian: libyaml-dev)")
  endif()
  list(APPEND HOLON_FEATURES HOLON_WITH_YAML=1)
  list(APPEND HOLON_DEPENDENCY_INCLUDES ${YAML_INCLUDE})
  list(APPEND HOLON_DEPENDENCY_LIBRARIES ${YAML_ARCHIVE})
endif()
list(APPEND HOLON_DEPENDENCY_LIBRARIES m)
