# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPAGE=... -DNAME=... -DOUTPUT=... -P: writes the page's block of C++ to a file, with the
# declaration that the build makes of a source in its place.
file(READ "${PAGE}" text)
set(begin "<!-- file: src/algorithms/${NAME}.cpp -->\n```cpp\n")
string(FIND "${text}" "${begin}" first)
if(first EQUAL -1)
  message(FATAL_ERROR "${PAGE} has no code of ${NAME}")
endif()
string(LENGTH "${begin}" length)
math(EXPR first "${first} + ${length}")
string(SUBSTRING "${text}" ${first} -1 text)
string(FIND "${text}" "```" last)
string(SUBSTRING "${text}" 0 ${last} text)
string(REPLACE "/" "_" constant "${NAME}")
file(WRITE "${OUTPUT}" "#include \"algorithms/catalog.hpp\"\n"
                       "namespace suiro {\nextern const Algorithm ${constant};\n}\n${text}")
