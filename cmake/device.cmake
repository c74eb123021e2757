# ensue_device_check: every tests/device/*.cu, a small program each, compiled as device code. nvcc is called by hand: CMake 3.25
# drops CMAKE_CUDA_STANDARD 20 silently, and enabling the language would make a missing or unusable nvcc an error.
if(NOT ENSUE_TESTS OR NOT ENSUE_CUDA)
  return()
endif()

find_program(NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
mark_as_advanced(NVCC)
if(NOT NVCC)
  if(NOT ENSUE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "ensue: ENSUE_CUDA is ${ENSUE_CUDA}, and there is no nvcc; say where with -DNVCC=/path/to/nvcc")
  endif()
  message(STATUS "ensue: no nvcc, so no device check")
  return()
endif()
message(STATUS "ensue: device check by ${NVCC}")

# Programs where there is a GPU to run them; where there is none, no further than to the GPU's own language, half the time.
execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
set(device_suffix "")
if(NOT no_gpu EQUAL 0)
  set(device_suffix .ptx)
endif()

# No contraction: results are compared bit for bit with the host's. PTX is kept, so that a newer GPU than the default runs it.
set(ENSUE_CUDA_FLAGS "-O2;--fmad=false" CACHE STRING "Further flags for nvcc, a list; for example -arch=sm_90")

file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/device/*.cu)
set(device_programs "")
foreach(source IN LISTS device_sources)
  cmake_path(GET source STEM name)
  set(program ${PROJECT_BINARY_DIR}/device/${name}${device_suffix})
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/device
    COMMAND ${NVCC} -std=c++20 ${ENSUE_CUDA_FLAGS} $<$<BOOL:${ENSUE_WERROR}>:-Werror=all-warnings>
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/tests -I${ensue_generated}
            $<$<BOOL:${device_suffix}>:-ptx> -MD -MF ${program}.d -o ${program} ${source}
    DEPENDS ${source} DEPFILE ${program}.d
    COMMENT "Compiling device code ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  list(APPEND device_programs ${program})

  if(NOT device_suffix)
    add_test(NAME device.${name} COMMAND ${program})
    set_tests_properties(device.${name} PROPERTIES FIXTURES_REQUIRED device_check LABELS once TIMEOUT 300)
  endif()
endforeach()
add_custom_target(ensue_device_check DEPENDS ${device_programs})

# That it compiles is a test of its own, GPU or not.
if(device_programs)
  add_test(NAME device.compiles COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ensue_device_check)
  set_tests_properties(device.compiles PROPERTIES
    FIXTURES_SETUP device_check LABELS once RESOURCE_LOCK build_folder TIMEOUT 600)
endif()
