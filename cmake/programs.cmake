# Programs that are not part of `all`: benchmarks (make bench) and programs for libFuzzer.

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
add_custom_target(bench_programs)
foreach(source ${bench_sources})
  get_filename_component(stem ${source} NAME_WE)
  add_executable(bench_${stem} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${stem} PROPERTIES OUTPUT_NAME ${stem}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_link_libraries(bench_${stem} PRIVATE holon_flags holon_static)
  add_dependencies(bench_programs bench_${stem})
endforeach()

if(HOLON_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  foreach(source ${fuzz_sources})
    get_filename_component(stem ${source} NAME_WE)
    add_executable(${stem} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${stem} PRIVATE holon_flags holon_static)
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
