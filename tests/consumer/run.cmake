# cmake -D build=… -D version=… -D compiler=… -D generator=… -D command=ON|OFF -P run.cmake
# Installs a built tree under a prefix of its own, then configures, builds and runs the project in this folder against it.
set(work ${build}/consumer)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(call)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

call(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})
# The user's own package registry and environment must not find another ensue.
call(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
file(STRINGS ${work}/build/CMakeCache.txt found REGEX "^ensue_DIR:PATH=${prefix}/")
if(NOT found)
  message(FATAL_ERROR "find_package(ensue) found another one than ${prefix}")
endif()
call(${CMAKE_COMMAND} --build ${work}/build)
call(${work}/build/with_library)
call(${work}/build/with_headers)

file(GLOB_RECURSE license ${prefix}/share/LICENSE)
if(NOT license)
  message(FATAL_ERROR "the license was not installed")
endif()
if(command)
  call(${prefix}/bin/ensue --version)
  foreach(file man/man1/ensue.1 bash-completion/completions/ensue zsh/site-functions/_ensue fish/vendor_completions.d/ensue.fish)
    if(NOT EXISTS ${prefix}/share/${file})
      message(FATAL_ERROR "share/${file} was not installed")
    endif()
  endforeach()
endif()
