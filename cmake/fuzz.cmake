# One libFuzzer program for each tests/fuzz/fuzz_<stem>.c, instrumented together with all sources of the
# library. Only with clang.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HOLON_FUZZ needs clang: configure with CC=clang")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
  get_filename_component(target ${source} NAME_WE)
  add_executable(${target} ${source} ${HOLON_SOURCES})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_definitions(${target} PRIVATE ${HOLON_FEATURES})
  target_include_directories(${target} PRIVATE include src)
  target_include_directories(${target} SYSTEM PRIVATE ${HOLON_DEPENDENCY_INCLUDES})
  target_compile_options(${target} PRIVATE -g -O1 -fsanitize=fuzzer,address,undefined
                                           -fno-sanitize-recover=all)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${target} PRIVATE holon_flags ${HOLON_DEPENDENCY_LIBRARIES})
endforeach()
