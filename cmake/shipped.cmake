# SPDX-License-Identifier: BSD-3-Clause
# What programs and libraries that are given away have in common.

# The id is found anew in every build, and is the same in all files of one.
set(build_id_source ${PROJECT_BINARY_DIR}/build_id.c)
string(JOIN " " compiled_by ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}
  ${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_BUILD_TYPE} ${SUIRO_SANITIZE})
set(write_build_id ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}
  "-DCOMPILED_BY=${compiled_by}" -D OUTPUT=${build_id_source}
  -P ${PROJECT_SOURCE_DIR}/cmake/write_build_id.cmake)
add_custom_target(build_id COMMAND ${write_build_id} BYPRODUCTS ${build_id_source} VERBATIM)
add_library(suiro_build_id OBJECT ${build_id_source})
add_dependencies(suiro_build_id build_id)

# suiro_shipped(TARGET): it carries the build's id, runs on systems older than the one where it is
# built, back to glibc 2.28, and needs no C++ runtime there. src/compat/older_glibc.c says how. What
# the compiled-in sources call is in libdl and libpthread where these are not yet part of libc.
function(suiro_shipped target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:suiro_build_id>)
  if(SUIRO_SANITIZE)
    return()
  endif()
  set(src ${PROJECT_SOURCE_DIR}/src)
  target_sources(${target} PRIVATE ${src}/compat/older_glibc.c ${src}/compat/older_threads.c)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_sources(${target} PRIVATE ${src}/compat/older_start.c)
  endif()
  target_link_options(${target} PRIVATE
    $<$<LINK_LANGUAGE:CXX>:-static-libstdc++> -static-libgcc -Wl,--as-needed
    -Wl,--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state)
endfunction()
