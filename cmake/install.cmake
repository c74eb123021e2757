# cmake --install: headers, library, command with its manual and completions, license, and the package that find_package(ensue) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ensue)
install(TARGETS ensue ensue_headers EXPORT ensueTargets FILE_SET HEADERS)
install(EXPORT ensueTargets NAMESPACE ensue:: DESTINATION ${package_folder})
configure_package_config_file(cmake/ensueConfig.cmake.in ensueConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break what a program relies on.
write_basic_package_version_file(ensueConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ensueConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ensueConfigVersion.cmake
  DESTINATION ${package_folder})
if(ENSUE_COMMAND)
  install(TARGETS ensue_command)
  install(FILES docs/man/ensue.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(completion apps/ensue/completion)
  install(FILES ${completion}/ensue.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ensue)
  install(FILES ${completion}/_ensue DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completion}/ensue.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
