# Programs that are not part of `all`: benchmarks (make bench) and programs for libFuzzer.

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
add_custom_target(bench_programs)
foreach(source ${bench_sources})
  get_filename_component(stem ${source} NAME_WE)
  add_executable(bench_${stem} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${stem} PROPERTIES OUTPUT_NAME ${stem}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench_${stem} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
  target_include_directories(bench_${stem} SYSTEM PRIVATE ${HOLON_DEPENDENCY_INCLUDES})
  target_compile_definitions(bench_${stem} PRIVATE ${HOLON_FEATURES})
  target_link_libraries(bench_${stem} PRIVATE holon_flags holon_static)
  add_dependencies(bench_programs bench_${stem})
endforeach()

if(HOLON_FUZZ)
  # OSS-Fuzz brings its own engine, and its own sanitizers by CFLAGS.
  set(HOLON_FUZZ_ENGINE "-fsanitize=fuzzer" CACHE STRING "What links a fuzzer: flags or a library")
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  add_custom_target(fuzzers)
  foreach(source ${fuzz_sources})
    get_filename_component(stem ${source} NAME_WE)
    add_executable(${stem} EXCLUDE_FROM_ALL ${source})
    set_target_properties(${stem} PROPERTIES C_EXTENSIONS ON
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
    target_include_directories(${stem} PRIVATE src)
    target_link_libraries(${stem} PRIVATE holon_flags holon_static ${HOLON_FUZZ_ENGINE})
    add_dependencies(fuzzers ${stem})
  endforeach()
endif()
