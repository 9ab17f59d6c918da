# SPDX-License-Identifier: BSD-3-Clause
# Writes the build's id, a hash of the native sources and of how they are compiled, if it changed:
# cmake -D SOURCE=... -D COMPILED_BY=... -D OUTPUT=... -P write_build_id.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE files RELATIVE ${SOURCE}
  ${SOURCE}/src/*.[ch]* ${SOURCE}/src/*.map ${SOURCE}/src/*.py ${SOURCE}/src/*/CMakeLists.txt
  ${SOURCE}/CMakeLists.txt)
list(SORT files)
set(all "${COMPILED_BY}")
foreach(file IN LISTS files)
  file(SHA256 ${SOURCE}/${file} hash)
  string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 16 id)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
/* Found in the file by this prefix (python/suiro/native.py). */
__attribute__((used, visibility("hidden"))) const char suiro_build_id[] = "suiro build @id@";
]] @ONLY)
