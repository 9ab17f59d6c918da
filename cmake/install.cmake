# SPDX-License-Identifier: BSD-3-Clause
# The native part of what is given away, below one folder: cmake --install build/release --prefix
# FOLDER. The module file tells shells where that is, wherever it was copied.
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "libsuiro-*.so")
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/ DESTINATION bin
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "suiro-*")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION .)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/examples SYMBOLIC)
set(suiro_version ${PROJECT_VERSION})
configure_file(${CMAKE_CURRENT_LIST_DIR}/module_file.in ${CMAKE_BINARY_DIR}/module_file @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/module_file
  DESTINATION share/modulefiles/suiro RENAME ${PROJECT_VERSION})
