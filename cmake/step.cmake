# The plugin that reads STEP assemblies, holon-step.so: built where OpenCASCADE is installed (Debian:
# libocct-data-exchange-dev) and a C++ compiler is there. It is loaded by the library in a child process.

find_path(OCCT_INCLUDE STEPCAFControl_Reader.hxx PATH_SUFFIXES opencascade)
set(OCCT_LIBRARIES)
foreach(name TKXDESTEP TKXCAF TKSTEP TKXSBase TKLCAF TKCAF TKCDF TKMesh TKTopAlgo TKBRep TKG3d TKGeomBase
             TKMath TKernel)
  find_library(OCCT_${name} ${name})
  mark_as_advanced(OCCT_${name})
  if(OCCT_${name})
    list(APPEND OCCT_LIBRARIES ${OCCT_${name}})
  else()
    set(OCCT_LIBRARIES_MISSING ON)
  endif()
endforeach()
include(CheckLanguage)
if(OCCT_INCLUDE AND NOT OCCT_LIBRARIES_MISSING)
  check_language(CXX)
endif()
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_library(holon_step MODULE plugins/step/step.cpp)
  set_target_properties(holon_step PROPERTIES OUTPUT_NAME holon-step PREFIX "" SUFFIX ".so"
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} CXX_STANDARD 17
                        CXX_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET hidden)
  target_include_directories(holon_step SYSTEM PRIVATE ${OCCT_INCLUDE})
  target_compile_options(holon_step PRIVATE -Wall -Wextra)
  target_link_options(holon_step PRIVATE -Wl,--as-needed -Wl,--no-undefined)
  target_link_libraries(holon_step PRIVATE ${OCCT_LIBRARIES})
else()
  message(STATUS "OpenCASCADE is not there: STEP files will be refused")
endif()
