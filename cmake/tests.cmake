# Every tests/<area>/test_<stem>.c is the test <area>/<stem>, on cmocka. All are one program, tests/holon-tests of the build folder,
# whose first argument is the name: 250 programs, each with the library in it, take minutes to link and gigabytes under sanitizers.
# Tests link the static library, in which the internal functions are reachable. HOLON_TEST_FILTER takes some of them only.

set(HOLON_TEST_FILTER "" CACHE STRING "Regular expression: which tests of C are built, by <area>/<stem>; empty: all")
include(cmake/suite.cmake)

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
  message(FATAL_ERROR "Not found: cmocka. On Debian `scripts/install-packages test` installs it; "
          "-DHOLON_TESTS=OFF builds without tests.")
endif()

set(HOLON_TEST_OUTPUT ${PROJECT_BINARY_DIR}/test-output)
file(MAKE_DIRECTORY ${HOLON_TEST_OUTPUT})

# Everything tests share: flags, include folders, the places of the sources and of the command.
add_library(holon_test_support STATIC)
file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
target_sources(holon_test_support PRIVATE ${support_sources})
set_target_properties(holon_test_support PROPERTIES LINKER_LANGUAGE C C_EXTENSIONS ON)
target_include_directories(holon_test_support PUBLIC ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_include_directories(holon_test_support SYSTEM PUBLIC ${HOLON_DEPENDENCY_INCLUDES})
target_compile_definitions(holon_test_support PUBLIC ${HOLON_FEATURES}
  HOLON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_compile_definitions(holon_test_support PRIVATE
                           HOLON_TEST_OUTPUT_DIR="${HOLON_TEST_OUTPUT}")
target_link_libraries(holon_test_support PUBLIC holon_flags holon_static PkgConfig::CMOCKA)
if(TARGET holon_command)
  target_compile_definitions(holon_test_support PUBLIC
                             HOLON_COMMAND="$<TARGET_FILE:holon_command>")
endif()
if(TARGET holon_component_runtime)
  target_compile_definitions(holon_test_support PUBLIC
                             HOLON_COMPONENT_RUNTIME="$<TARGET_FILE:holon_component_runtime>"
                             HOLON_FMU_RUNTIME="$<TARGET_FILE:holon_fmu>"
                             HOLON_FMU_HOST="$<TARGET_FILE:holon_fmu_host>"
                             HOLON_TEST_FMU="${PROJECT_BINARY_DIR}/tests/unit.so"
                             HOLON_LIBRARY="$<TARGET_FILE:holon>")
endif()

file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
if(HOLON_MINIMAL) # what needs model files is not there
  list(FILTER test_sources EXCLUDE REGEX "/tests/(formats|machines|cli|tools|faults|fmi)/")
endif()
if(HOLON_SANITIZE OR HOLON_SANITIZE_THREADS) # an allocator of their own; and mpirun's library leaks
  list(FILTER test_sources EXCLUDE REGEX "/tests/(faults/|cli/test_processes\\.c$)")
else()
  add_library(holon_fault_shim MODULE ${PROJECT_SOURCE_DIR}/tests/faults/shim.c)
  set_target_properties(holon_fault_shim PROPERTIES C_EXTENSIONS ON PREFIX ""
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(holon_fault_shim PRIVATE ${CMAKE_DL_LIBS})
endif()

if(TARGET holon_fmu) # the binary of FMUs that tests import
  file(GLOB program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fmi/program/*.c)
  add_library(holon_test_fmu MODULE ${program_sources})
  set_target_properties(holon_test_fmu PROPERTIES OUTPUT_NAME unit PREFIX "" SUFFIX ".so"
                        C_EXTENSIONS ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(holon_test_fmu PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(holon_test_fmu PRIVATE holon_flags m)
endif()

add_executable(holon_tests ${PROJECT_SOURCE_DIR}/tests/one/main.c ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
set_target_properties(holon_tests PROPERTIES C_EXTENSIONS ON OUTPUT_NAME holon-tests
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(holon_tests PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_compile_options(holon_tests PRIVATE -O0) # compiled three times as fast; what runs long is the library
target_link_libraries(holon_tests PRIVATE holon_test_support)
if(TARGET holon_fault_shim)
  target_compile_definitions(holon_tests PRIVATE HOLON_FAULT_SHIM="$<TARGET_FILE:holon_fault_shim>")
  add_dependencies(holon_tests holon_fault_shim)
endif()
set(HOLON_TEST_MAINS "")

foreach(source ${test_sources})
  string(REGEX MATCH "tests/([^/]+)/test_(.*)\\.c$" found ${source})
  set(area ${CMAKE_MATCH_1})
  set(stem ${CMAKE_MATCH_2})
  holon_takes_test(${area}/${stem} is_taken)
  if(NOT is_taken)
    continue()
  endif()
  # a folder of its own: tests run side by side, and two may choose the same name for a file
  set(output ${HOLON_TEST_OUTPUT}/${area}-${stem})
  file(MAKE_DIRECTORY ${output})
  set(definitions HOLON_TEST_OUTPUT_DIR="${output}")
  if("${area}/${stem}" STREQUAL faults/library) # the linker puts its own functions in place of those that allocate
    set(program test_faults_library)
    add_executable(${program} ${source})
    set_target_properties(${program} PROPERTIES C_EXTENSIONS ON RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${program} PRIVATE holon_test_support)
    target_link_options(${program} PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc
                        LINKER:--wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign)
    holon_add_test(${area}/${stem} 300 $<TARGET_FILE:${program}>)
  else()
    set(program holon_tests)
    target_sources(${program} PRIVATE ${source})
    list(APPEND definitions main=main_of_${area}_${stem})
    file(STRINGS ${source} kind REGEX "^int main\\(void\\)" LIMIT_COUNT 1)
    if(kind)
      set(kind ALONE)
    else()
      set(kind WITH_ARGUMENTS)
    endif()
    string(APPEND HOLON_TEST_MAINS "${kind}(${area}_${stem}, \"${area}/${stem}\")\n")
    holon_add_test(${area}/${stem} 300 $<TARGET_FILE:${program}> ${area}/${stem})
  endif()
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "${definitions}")
  # a sample in the short suite; all of it where HOLON_SWEEP is set (scripts/test-long)
  file(STRINGS ${source} sweeps REGEX "HOLON_SWEEP|machines/combinations.h" LIMIT_COUNT 1)
  if(sweeps) # which takes longer than the sample, and much longer on a busy machine
    set_property(TEST ${area}/${stem} APPEND PROPERTY LABELS sweep)
    set_property(TEST ${area}/${stem} PROPERTY TIMEOUT 1800)
  endif()
  file(STRINGS ${source} runs_command REGEX HOLON_COMMAND LIMIT_COUNT 1)
  if(runs_command AND TARGET holon_command)
    add_dependencies(${program} holon_command)
  endif()
  if(area STREQUAL "fmi" AND TARGET holon_fmu)
    add_dependencies(${program} holon_fmu holon_fmu_host holon_test_fmu)
  endif()
  file(STRINGS ${source} seals REGEX "HOLON_COMPONENT_RUNTIME|formats/sealing.h" LIMIT_COUNT 1)
  if(seals AND TARGET holon_component_runtime)
    add_dependencies(${program} holon_component_runtime holon)
  endif()
endforeach()

# ---- corpora of the fuzzers, replayed without libFuzzer -------------------------------------------

if(NOT HOLON_MINIMAL AND NOT HOLON_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  foreach(source ${fuzz_sources})
    string(REGEX MATCH "fuzz_(.*)\\.c$" found ${source})
    set(stem ${CMAKE_MATCH_1})
    holon_takes_test(fuzz/${stem} is_taken)
    if(NOT is_taken)
      continue()
    endif()
    target_sources(holon_tests PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=one_input_of_${stem})
    string(APPEND HOLON_TEST_MAINS "REPLAYED(${stem}, \"fuzz/${stem}\")\n")
    holon_add_test(fuzz/${stem} 300 $<TARGET_FILE:holon_tests> fuzz/${stem} tests/fuzz/corpus/${stem})
  endforeach()
endif()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_mains.h CONTENT "${HOLON_TEST_MAINS}")

# ---- scripts: runs that are killed (a sample; tests/cli/kill.sh takes any number), packages, what additions touch ------------------

# Registers the test `name` that a script with these arguments is.
function(holon_script_test name timeout script)
  holon_takes_test(${name} is_taken)
  if(is_taken)
    holon_add_test(${name} ${timeout} sh ${PROJECT_SOURCE_DIR}/tests/${script} ${ARGN})
  endif()
endfunction()

if(TARGET holon_command)
  set(command $<TARGET_FILE:holon_command> ${PROJECT_SOURCE_DIR}/models)
  holon_script_test(cli/kill 600 cli/kill.sh ${command} ${HOLON_TEST_OUTPUT}/kill 6 2)
  holon_script_test(cli/sweep 300 cli/sweep.sh ${command} ${HOLON_TEST_OUTPUT}/sweep)
endif()
if(NOT HOLON_SANITIZE AND NOT HOLON_SANITIZE_THREADS AND NOT HOLON_MINIMAL)
  file(GLOB packaging_scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/packaging/*.sh)
  foreach(script ${packaging_scripts})
    get_filename_component(stem ${script} NAME_WE)
    holon_script_test(packaging/${stem} 600 packaging/${stem}.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  endforeach()
  holon_script_test(extend/all 900 extend/run.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()

# ---- examples: each is a program that uses the shared library, and a test ---------------------------------------------------------

file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
if(HOLON_MINIMAL)
  list(FILTER example_sources EXCLUDE REGEX "/load_and_run\\.c$")
endif()
foreach(source ${example_sources})
  get_filename_component(stem ${source} NAME_WE)
  holon_takes_test(examples/${stem} is_taken)
  if(NOT is_taken)
    continue()
  endif()
  set(arguments)
  if(stem STREQUAL load_and_run)
    set(arguments models/iftomm/a01.yaml ${HOLON_TEST_OUTPUT}/a01.csv)
  elseif(stem STREQUAL run_like_the_command)
    set(arguments models/iftomm/a01.yaml ${HOLON_TEST_OUTPUT}/like_the_command.csv)
  elseif(stem STREQUAL linearize)
    set(arguments models/iltis/rest.yaml)
  endif()
  add_executable(example_${stem} ${source})
  set_target_properties(example_${stem} PROPERTIES OUTPUT_NAME ${stem}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples C_EXTENSIONS ON)
  target_link_libraries(example_${stem} PRIVATE holon_flags holon m)
  holon_add_test(examples/${stem} 300 $<TARGET_FILE:example_${stem}> ${arguments})
endforeach()
