# How everything of the project is compiled. Floating point is strict: the same source gives the
# same bits with every compiler and optimization level, so no contraction and never -ffast-math.

add_library(holon_flags INTERFACE)
target_compile_options(holon_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -ffp-contract=off -fno-math-errno)
# Vectors of four numbers are arguments of functions that are always inlined: no convention is at stake.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wno-psabi HOLON_HAS_WNO_PSABI)
if(HOLON_HAS_WNO_PSABI)
  target_compile_options(holon_flags INTERFACE -Wno-psabi)
endif()
if(NOT HOLON_AVX2)
  target_compile_definitions(holon_flags INTERFACE HN_NO_AVX2)
endif()
if(HOLON_POISON)
  target_compile_definitions(holon_flags INTERFACE HN_POISON)
endif()
if(HOLON_WERROR)
  target_compile_options(holon_flags INTERFACE -Werror)
endif()

# Options of the linker, those that it knows.
include(CheckLinkerFlag)
function(holon_linker_options target)
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  endif()
  foreach(option ${ARGN})
    string(MAKE_C_IDENTIFIER "HOLON_LINKS_WITH${option}" known)
    check_linker_flag(C "LINKER:${option}" ${known})
    if(${known})
      target_link_options(${target} ${scope} "LINKER:${option}")
    endif()
  endforeach()
endfunction()

# Only what is used is linked: the dependencies of a program are those it needs.
add_library(holon_link_flags INTERFACE)
holon_linker_options(holon_link_flags --as-needed)
target_link_libraries(holon_flags INTERFACE holon_link_flags)

if(HOLON_FUZZ AND DEFINED ENV{LIB_FUZZING_ENGINE})
  # OSS-Fuzz: sanitizers and coverage stand in CFLAGS already
elseif(HOLON_SANITIZE)
  target_compile_options(holon_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(holon_link_flags INTERFACE -fsanitize=address,undefined)
  if(HOLON_FUZZ)
    target_compile_options(holon_flags INTERFACE -fsanitize=fuzzer-no-link)
  endif()
elseif(HOLON_SANITIZE_THREADS)
  target_compile_options(holon_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -g1)
  target_link_options(holon_link_flags INTERFACE -fsanitize=thread)
else()
  # No folders of the machine that built it in the library.
  target_compile_options(holon_flags INTERFACE
    $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()
