# The Python package: build/python/holon with one extension for every Python from 3.11 on (limited C
# interface). Only where headers of Python are found; HOLON_PYTHON says whose, Debian's own by default.

set(default_python python3)
if(EXISTS /usr/bin/python3)
  set(default_python /usr/bin/python3)
endif()
set(HOLON_PYTHON ${default_python} CACHE STRING "Python whose headers are used and which runs the tests")
execute_process(COMMAND ${HOLON_PYTHON} -c "import sysconfig; print(sysconfig.get_paths()['include'])"
                OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND ${HOLON_PYTHON} -c "import sys; print(int(sys.version_info >= (3, 11)))"
                OUTPUT_VARIABLE python_is_new OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT python_is_new STREQUAL "1" OR NOT EXISTS "${python_include}/Python.h")
  message(STATUS "The Python package is left out: no Python.h of 3.11 or later (Debian: python3-dev)")
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.c)
if(NOT (HOLON_MINIMAL AND HOLON_EXPAT))
  list(FILTER python_sources EXCLUDE REGEX "/random\\.c$")
endif()
set(HOLON_PYTHON_FOLDER ${PROJECT_BINARY_DIR}/python)
add_library(holon_python MODULE ${python_sources})
set_target_properties(holon_python PROPERTIES OUTPUT_NAME _core PREFIX "" SUFFIX ".abi3.so"
                      C_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${HOLON_PYTHON_FOLDER}/holon)
target_include_directories(holon_python SYSTEM PRIVATE ${python_include})
target_link_libraries(holon_python PRIVATE holon_flags holon_static)
# slots of types are functions in pointers to void, by the rules of Python
set_source_files_properties(${python_sources} PROPERTIES COMPILE_OPTIONS -Wno-pedantic)
holon_linker_options(holon_python --exclude-libs,ALL --gc-sections -Bsymbolic)
target_link_options(holon_python PRIVATE $<$<CONFIG:Release>:-s>)

# What is Python goes beside the extension; the page of the viewer too.
file(GLOB python_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/holon/*.py
     ${PROJECT_SOURCE_DIR}/python/holon/*.pyi ${PROJECT_SOURCE_DIR}/python/holon/py.typed)
foreach(file ${python_modules} ${PROJECT_SOURCE_DIR}/viewer/dist/holon-viewer.html)
  get_filename_component(name ${file} NAME)
  set(copy ${HOLON_PYTHON_FOLDER}/holon/${name})
  add_custom_command(OUTPUT ${copy} DEPENDS ${file}
                     COMMAND ${CMAKE_COMMAND} -E copy ${file} ${copy})
  list(APPEND python_copies ${copy})
endforeach()
add_custom_target(holon_python_package ALL DEPENDS ${python_copies} holon_python)
