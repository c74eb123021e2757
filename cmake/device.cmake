# ensue_device_check compiles every tests/device/*.cu, a small program each, and the loops of tests/guards/gpu_loops.cu. nvcc is
# called by hand: CMake 3.25 silently drops CMAKE_CUDA_STANDARD 20, and enabling the language would make a missing nvcc an error.
if(NOT ENSUE_TESTS OR NOT ENSUE_CUDA)
  return()
endif()

include(cmake/find_nvcc.cmake)
if(NOT NVCC)
  if(NOT ENSUE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "ensue: ENSUE_CUDA is ${ENSUE_CUDA}, and there is no nvcc; install one with tools/setup cuda or say where it is with -DNVCC=/path/to/nvcc")
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
    COMMAND ${NVCC} -std=c++20 --expt-relaxed-constexpr ${ENSUE_CUDA_FLAGS} $<$<BOOL:${ENSUE_WERROR}>:-Werror=all-warnings>
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/tests -I${ensue_generated}
            $<$<BOOL:${device_suffix}>:-ptx> -MD -MF ${program}.d -o ${program} ${source}
    DEPENDS ${source} DEPFILE ${program}.d
    COMMENT "Compiling device code ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  list(APPEND device_programs ${program})

  if(NOT device_suffix)
    add_test(NAME device.${name} COMMAND ${program})
    set_tests_properties(device.${name} PROPERTIES FIXTURES_REQUIRED device_check LABELS once TIMEOUT 300)
  endif()
endforeach()

# Instructions of a GPU's inner loops, which need no GPU to be counted.
execute_process(COMMAND ${NVCC} --version OUTPUT_VARIABLE nvcc_version)
string(REGEX MATCH "V[0-9.]+" nvcc_version "${nvcc_version}")
string(REPLACE V "nvcc " nvcc_version "${nvcc_version}")
set(gpu_loops ${PROJECT_BINARY_DIR}/device/gpu_loops.cubin)
set(gpu_loops_source ${PROJECT_SOURCE_DIR}/tests/guards/gpu_loops.cu)
add_custom_command(OUTPUT ${gpu_loops}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/device
  COMMAND ${NVCC} -std=c++20 -O3 -arch=sm_90 -I${PROJECT_SOURCE_DIR}/include -cubin -MD -MF ${gpu_loops}.d -o ${gpu_loops} ${gpu_loops_source}
  DEPENDS ${gpu_loops_source} DEPFILE ${gpu_loops}.d
  COMMENT "Compiling the guarded loops of a GPU" VERBATIM)
add_executable(guarded_gpu_loops EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/guards/gpu_loops.cpp)
target_compile_features(guarded_gpu_loops PRIVATE cxx_std_20)
ensue_own(guarded_gpu_loops)
set(count_gpu_instructions
  "$<TARGET_FILE:guarded_gpu_loops> '${gpu_loops}' | '${PROJECT_SOURCE_DIR}/tests/guards/compare' '${nvcc_version}' '${PROJECT_SOURCE_DIR}/tests/guards/instructions.csv'")
add_test(NAME guards.gpu_instructions COMMAND sh -c "${count_gpu_instructions}")
set_tests_properties(guards.gpu_instructions PROPERTIES FIXTURES_REQUIRED device_check LABELS once SKIP_RETURN_CODE 77 TIMEOUT 60)
add_custom_target(renew_gpu_instructions COMMAND sh -c "${count_gpu_instructions} --write" DEPENDS ${gpu_loops} guarded_gpu_loops VERBATIM)

add_custom_target(ensue_device_check DEPENDS ${device_programs} ${gpu_loops} guarded_gpu_loops)

# That it compiles is a test of its own, GPU or not.
if(device_programs)
  add_test(NAME device.compiles COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ensue_device_check)
  set_tests_properties(device.compiles PROPERTIES
    FIXTURES_SETUP device_check LABELS once RESOURCE_LOCK build_folder TIMEOUT 600)
endif()
