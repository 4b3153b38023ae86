# Tests of the Python package: pytest and mypy, where they are. What is missing is skipped by name. Under
# sanitizers the interpreter, which has none of them, loads their library first.

if(NOT TARGET holon_python_package OR (HOLON_MINIMAL AND NOT HOLON_YAML)) # tests use models in YAML
  return()
endif()
set(python_tools pytest mypy)
set(python_preload "")
if(HOLON_SANITIZE)
  set(python_tools pytest)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE python_preload OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT EXISTS "${python_preload}")
    message(STATUS "Tests of the Python package are left out here: no shared library of the sanitizers")
    return()
  endif()
endif()
foreach(tool ${python_tools})
  holon_takes_test(python/${tool} is_taken)
  if(is_taken)
    holon_add_test(python/${tool} 600 sh ${PROJECT_SOURCE_DIR}/python/tests/${tool}.sh ${HOLON_PYTHON}
                   ${PROJECT_SOURCE_DIR} ${HOLON_PYTHON_FOLDER} ${python_preload})
  endif()
endforeach()
