# One cmocka program for each tests/<area>/test_<stem>.c, registered as <area>/<stem>. Tests link
# the static library, in which the internal functions are reachable. Sanitizers make every program twenty times as
# large: there all tests, replays and examples are one program, build/sanitize/tests/all, whose first argument is the name.

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
                             HOLON_LIBRARY="$<TARGET_FILE:holon>")
endif()

file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
if(HOLON_MINIMAL) # what needs model files is not there
  list(FILTER test_sources EXCLUDE REGEX "/tests/(formats|machines|cli|tools|faults)/")
endif()
if(HOLON_SANITIZE OR HOLON_SANITIZE_THREADS) # sanitizers bring an allocator of their own
  list(FILTER test_sources EXCLUDE REGEX "/tests/faults/")
else()
  add_library(holon_fault_shim MODULE ${PROJECT_SOURCE_DIR}/tests/faults/shim.c)
  set_target_properties(holon_fault_shim PROPERTIES C_EXTENSIONS ON PREFIX ""
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(holon_fault_shim PRIVATE ${CMAKE_DL_LIBS})
endif()
set(HOLON_ONE_TEST_PROGRAM ${HOLON_SANITIZE})
set(HOLON_TEST_MAINS "")
if(HOLON_ONE_TEST_PROGRAM)
  add_executable(holon_tests ${PROJECT_SOURCE_DIR}/tests/one/main.c)
  set_target_properties(holon_tests PROPERTIES C_EXTENSIONS ON OUTPUT_NAME all
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(holon_tests PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(holon_tests PRIVATE holon_test_support)
endif()

# The program `target` of the sources given, registered as the test `name` with the arguments after ARGUMENTS.
function(holon_test name target folder)
  cmake_parse_arguments(of "" "" "SOURCES;DEFINITIONS;ARGUMENTS" ${ARGN})
  if(HOLON_ONE_TEST_PROGRAM)
    add_library(${target} OBJECT ${of_SOURCES})
    target_compile_definitions(${target} PRIVATE main=main_of_${target} ${of_DEFINITIONS})
    target_compile_options(${target} PRIVATE -O0) # compiled three times as fast; what runs long is the library
    target_link_libraries(holon_tests PRIVATE ${target})
    set(kind WITH_ARGUMENTS)
    foreach(source ${of_SOURCES})
      file(STRINGS ${source} alone REGEX "^int main\\(void\\)" LIMIT_COUNT 1)
      if(alone)
        set(kind ALONE)
      endif()
    endforeach()
    set(HOLON_TEST_MAINS "${HOLON_TEST_MAINS}${kind}(${target}, \"${name}\")\n" PARENT_SCOPE)
    add_test(NAME ${name} COMMAND holon_tests ${name} ${of_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  else()
    add_executable(${target} ${of_SOURCES})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
    target_compile_definitions(${target} PRIVATE ${of_DEFINITIONS})
    add_test(NAME ${name} COMMAND ${target} ${of_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  set_target_properties(${target} PROPERTIES C_EXTENSIONS ON)
  target_link_libraries(${target} PRIVATE holon_test_support)
  string(REGEX MATCH "^[^/]*" area ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${area} TIMEOUT 300)
endfunction()

foreach(source ${test_sources})
  string(REGEX MATCH "tests/([^/]+)/test_(.*)\\.c$" found ${source})
  set(area ${CMAKE_MATCH_1})
  set(stem ${CMAKE_MATCH_2})
  set(target test_${area}_${stem})
  # a folder of its own: tests run side by side, and two may choose the same name for a file
  set(output ${HOLON_TEST_OUTPUT}/${area}-${stem})
  file(MAKE_DIRECTORY ${output})
  holon_test(${area}/${stem} ${target} tests SOURCES ${source} DEFINITIONS HOLON_TEST_OUTPUT_DIR="${output}")
  file(STRINGS ${source} runs_command REGEX HOLON_COMMAND)
  if(runs_command AND TARGET holon_command)
    add_dependencies(${target} holon_command)
  endif()
  if(area STREQUAL faults AND stem STREQUAL library)
    target_link_options(${target} PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc
                        LINKER:--wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign)
  elseif(area STREQUAL faults)
    target_compile_definitions(${target} PRIVATE
                               HOLON_FAULT_SHIM="$<TARGET_FILE:holon_fault_shim>")
    add_dependencies(${target} holon_fault_shim)
  endif()
  file(STRINGS ${source} seals REGEX "HOLON_COMPONENT_RUNTIME|formats/sealing.h")
  if(seals AND TARGET holon_component_runtime)
    add_dependencies(${target} holon_component_runtime holon)
  endif()
endforeach()

# ---- corpora of the fuzzers, replayed without libFuzzer -------------------------------------------

if(NOT HOLON_MINIMAL)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  foreach(source ${fuzz_sources})
    string(REGEX MATCH "fuzz_(.*)\\.c$" found ${source})
    set(stem ${CMAKE_MATCH_1})
    holon_test(fuzz/${stem} replay_${stem} tests SOURCES ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c
               DEFINITIONS LLVMFuzzerTestOneInput=one_input_of_${stem} ARGUMENTS tests/fuzz/corpus/${stem})
  endforeach()
endif()

# ---- runs that are killed: a sample; tests/cli/kill.sh takes any number ---------------------------------

if(TARGET holon_command AND NOT HOLON_MINIMAL)
  add_test(NAME cli/kill
           COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/kill.sh $<TARGET_FILE:holon_command>
                   ${PROJECT_SOURCE_DIR}/models ${HOLON_TEST_OUTPUT}/kill 6 2)
  set_tests_properties(cli/kill PROPERTIES LABELS cli TIMEOUT 600)
  add_test(NAME cli/sweep
           COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/sweep.sh $<TARGET_FILE:holon_command>
                   ${PROJECT_SOURCE_DIR}/models ${HOLON_TEST_OUTPUT}/sweep)
  set_tests_properties(cli/sweep PROPERTIES LABELS cli TIMEOUT 300)
endif()

# ---- packaging -----------------------------------------------------------------------------------

if(NOT HOLON_SANITIZE AND NOT HOLON_MINIMAL)
  file(GLOB packaging_scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/packaging/*.sh)
  foreach(script ${packaging_scripts})
    get_filename_component(stem ${script} NAME_WE)
    add_test(NAME packaging/${stem}
             COMMAND sh ${script} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(packaging/${stem} PROPERTIES LABELS packaging TIMEOUT 600
                         SKIP_RETURN_CODE 77)
  endforeach()
endif()

# ---- what additions touch: a tree with more in it, built and run -----------------------------------------

if(TARGET holon_command AND NOT HOLON_SANITIZE AND NOT HOLON_SANITIZE_THREADS AND NOT HOLON_MINIMAL)
  add_test(NAME extend/all
           COMMAND sh ${PROJECT_SOURCE_DIR}/tests/extend/run.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  set_tests_properties(extend/all PROPERTIES LABELS extend TIMEOUT 900)
endif()

# ---- examples: each is a test of its own ---------------------------------------------------------

file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
if(HOLON_MINIMAL)
  list(FILTER example_sources EXCLUDE REGEX "/load_and_run\\.c$")
endif()
foreach(source ${example_sources})
  get_filename_component(stem ${source} NAME_WE)
  set(arguments)
  if(stem STREQUAL load_and_run)
    set(arguments models/iftomm/a01.yaml ${HOLON_TEST_OUTPUT}/a01.csv)
  elseif(stem STREQUAL run_like_the_command)
    set(arguments models/iftomm/a01.yaml ${HOLON_TEST_OUTPUT}/like_the_command.csv)
  elseif(stem STREQUAL linearize)
    set(arguments models/iltis/rest.yaml)
  endif()
  holon_test(examples/${stem} example_${stem} examples SOURCES ${source} ARGUMENTS ${arguments})
  set_target_properties(example_${stem} PROPERTIES OUTPUT_NAME ${stem})
endforeach()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_mains.h CONTENT "${HOLON_TEST_MAINS}")
