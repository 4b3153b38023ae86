# Where tests run, and in which order. tests/suite.table gives each test a build in the short suite (make test) and in the long
# one (make test-long); tests/times.table gives its CPU time, by which ctest starts the longest first.
#
# HOLON_SUITE=short takes only those that the table gives this build, so that nothing is compiled that another build runs.
# Empty: every test that this build can run, with the labels `short`, `part`, `long` and `sweep` to
# choose by.

set(HOLON_SUITE "" CACHE STRING "short: only the tests that make test runs in this build; empty: all")

set(HOLON_SUITE_BUILD release)
if(HOLON_SANITIZE)
  set(HOLON_SUITE_BUILD sanitize)
elseif(HOLON_SANITIZE_THREADS)
  set(HOLON_SUITE_BUILD threads)
endif()

set(suite_tables ${PROJECT_SOURCE_DIR}/tests/suite.table ${PROJECT_SOURCE_DIR}/tests/times.table)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${suite_tables})
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/suite.table HOLON_SUITE_ROWS REGEX "^[^#]")
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/times.table times REGEX "^${HOLON_SUITE_BUILD} ")
foreach(row ${times})
  string(REGEX MATCH "^[a-z]+ +([^ ]+) +([0-9.]+)" found "${row}")
  set(HOLON_TIME_OF_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

# Sets `out` to the labels `short` and `long` that the table gives the test `name` in this build.
function(holon_suite_of name out)
  foreach(row ${HOLON_SUITE_ROWS})
    string(REGEX MATCH "^([^ ]+) +([^ ]+) +([^ ]+)" found "${row}")
    set(pattern ${CMAKE_MATCH_1})
    set(short ${CMAKE_MATCH_2})
    set(long ${CMAKE_MATCH_3})
    if(name MATCHES "^(${pattern})$")
      set(labels "")
      if(short STREQUAL HOLON_SUITE_BUILD)
        list(APPEND labels short)
      endif()
      if(short STREQUAL "part" AND HOLON_SUITE_BUILD STREQUAL "release")
        list(APPEND labels part)
      endif()
      if(long MATCHES "(^|,)${HOLON_SUITE_BUILD}(,|$)")
        list(APPEND labels long)
      endif()
      set(${out} "${labels}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "tests/suite.table has no row for ${name}")
endfunction()

# Sets `out` to whether this build takes the test `name`.
function(holon_takes_test name out)
  set(${out} ON PARENT_SCOPE)
  if(HOLON_TEST_FILTER AND NOT name MATCHES "${HOLON_TEST_FILTER}")
    set(${out} OFF PARENT_SCOPE)
  endif()
  holon_suite_of(${name} labels)
  if(HOLON_SUITE AND NOT labels MATCHES "(^|;)(${HOLON_SUITE}|part)(;|$)")
    set(${out} OFF PARENT_SCOPE)
  endif()
endfunction()

# Registers the test `name`, which fails after `timeout` seconds: the command with its arguments, in the folder of the sources.
function(holon_add_test name timeout)
  string(REGEX MATCH "^[^/]*" area ${name})
  string(REPLACE "/" "-" file ${name})
  holon_suite_of(${name} labels)
  add_test(NAME ${name}
           COMMAND sh ${PROJECT_SOURCE_DIR}/tests/support/timed.sh ${PROJECT_BINARY_DIR}/test-times/${file} ${ARGN}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(cost 1)
  if(DEFINED HOLON_TIME_OF_${name})
    set(cost ${HOLON_TIME_OF_${name}})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${area};${labels}" TIMEOUT ${timeout} COST ${cost}
                                          SKIP_RETURN_CODE 77)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/test-times)
