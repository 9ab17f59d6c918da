# SPDX-License-Identifier: BSD-3-Clause
# What a cluster's nodes need, below one folder: cmake --install build/release --prefix FOLDER.
# No Python is needed there; the module file tells shells where it is.
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "libsuiro-*.so")
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/ DESTINATION bin
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "suiro-*")
install(CODE "set(suiro_version ${PROJECT_VERSION})")
install(CODE "set(suiro_module_file ${CMAKE_CURRENT_LIST_DIR}/module_file.in)")
install(CODE [[
  set(folder ${CMAKE_INSTALL_PREFIX}/share/modulefiles/suiro)
  message(STATUS "Installing: ${folder}/${suiro_version}")
  configure_file(${suiro_module_file} $ENV{DESTDIR}${folder}/${suiro_version} @ONLY)
]])
