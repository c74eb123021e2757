# Reads the one list of methods, include/ensue/methods.hpp, and writes into the build folder what C++ cannot read from it:
#
#   generated/ensue_methods.inc   ENSUE_METHOD(type), one line a method, in the order of the list (an X macro)
#   generated/ensue_FOLDER.inc    the same for the methods of one folder
#   generated/method_<id>.cpp     one translation unit a method, so that they compile side by side and a change to one
#                                 method compiles one file; from cmake/method.cpp.in
#
# Sets ensue_methods (the types), ensue_generated (the folder) and ensue_method_sources.
set(ensue_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(list_of_methods ${CMAKE_CURRENT_SOURCE_DIR}/include/ensue/methods.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_of_methods})

set(ensue_methods "")
set(ensue_folders "")
set(headers "")
file(STRINGS ${list_of_methods} lines REGEX "^#include")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^#include <ensue/methods/([a-z_]+)/([a-z0-9_]+\\.hpp)> *// *([a-z].*)$")
    message(FATAL_ERROR "${list_of_methods}: a line is `#include <ensue/methods/folder/name.hpp>  // type`, with the types that it "
      "registers after `//`; this one is not:\n  ${line}")
  endif()
  set(folder ${CMAKE_MATCH_1})
  set(header methods/${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
  string(REGEX REPLACE " +" ";" types "${CMAKE_MATCH_3}")
  list(APPEND ensue_methods ${types})
  list(APPEND ensue_methods_of_${folder} ${types})
  list(APPEND ensue_folders ${folder})
  foreach(type IN LISTS types)
    list(APPEND headers ${header})
  endforeach()
endforeach()

set(unique_methods ${ensue_methods})
list(REMOVE_DUPLICATES unique_methods)
if(NOT unique_methods STREQUAL ensue_methods)
  message(FATAL_ERROR "${list_of_methods}: a method is listed twice: ${ensue_methods}")
endif()

# A translation unit a method waits for src/registry/method_entry.hpp, which says what is instantiated in it.
file(GLOB method_entry CONFIGURE_DEPENDS src/registry/method_entry.hpp)
set(ensue_method_sources "")
set(inc "// Generated from include/ensue/methods.hpp by cmake/methods.cmake.\n")
foreach(type header IN ZIP_LISTS ensue_methods headers)
  string(APPEND inc "ENSUE_METHOD(${type})\n")
  if(method_entry)
    string(REGEX REPLACE "[^a-z0-9]+" "_" id "${type}")
    string(REGEX REPLACE "_$" "" id "${id}")
    set(header_of_inner "")
    if(type MATCHES "<([a-z0-9_]+)>")  # a method made of another one of its folder
      cmake_path(REPLACE_FILENAME header ${CMAKE_MATCH_1}.hpp OUTPUT_VARIABLE inner)
      set(header_of_inner "#include <ensue/${inner}>\n")
    endif()
    configure_file(cmake/method.cpp.in ${ensue_generated}/method_${id}.cpp @ONLY)
    list(APPEND ensue_method_sources ${ensue_generated}/method_${id}.cpp)
  endif()
endforeach()
file(CONFIGURE OUTPUT ${ensue_generated}/ensue_methods.inc CONTENT "${inc}" @ONLY)

list(REMOVE_DUPLICATES ensue_folders)
foreach(folder IN LISTS ensue_folders)
  list(TRANSFORM ensue_methods_of_${folder} REPLACE "(.+)" "ENSUE_METHOD(\\1)\n" OUTPUT_VARIABLE of_folder)
  list(JOIN of_folder "" of_folder)
  file(CONFIGURE OUTPUT ${ensue_generated}/ensue_${folder}.inc CONTENT "${of_folder}" @ONLY)
endforeach()

list(LENGTH ensue_methods count)
list(JOIN ensue_methods " " names)
message(STATUS "ensue: ${count} methods: ${names}")
