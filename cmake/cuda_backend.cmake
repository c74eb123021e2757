# `ensue sculpt --backend cuda`: src/sculpting/cuda/*.cu, compiled by nvcc into the library. nvcc is called by hand, as in device.cmake.
option(ENSUE_CUDA_BACKEND "Build the backend cuda of `ensue sculpt`; needs nvcc" OFF)
if(NOT ENSUE_CUDA_BACKEND)
  return()
endif()

include(cmake/find_nvcc.cmake)
if(NOT NVCC)
  message(FATAL_ERROR "ensue: ENSUE_CUDA_BACKEND is ON, and there is no nvcc; install one with tools/setup cuda or say where it is with -DNVCC=/path/to/nvcc")
endif()
file(REAL_PATH ${NVCC} nvcc_itself)
cmake_path(GET nvcc_itself PARENT_PATH nvcc_folder)
find_library(CUDA_RUNTIME NAMES libcudart_static.a HINTS ${nvcc_folder}/../lib64 ${nvcc_folder}/../lib ${nvcc_folder}/../targets/x86_64-linux/lib)
mark_as_advanced(CUDA_RUNTIME)
if(NOT CUDA_RUNTIME)
  message(FATAL_ERROR "ensue: ENSUE_CUDA_BACKEND is ON, and there is no libcudart_static.a near ${nvcc_folder}; say where with -DCUDA_RUNTIME=…")
endif()

# For the GPU that is here; where there is none, code that a driver compiles when it first runs, in seconds.
execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
set(flags -O3 --expt-relaxed-constexpr)
if(no_gpu EQUAL 0)
  list(APPEND flags -arch=native)
endif()
set(ENSUE_CUDA_BACKEND_FLAGS "${flags}" CACHE STRING "Flags for nvcc, a list; for example -O3;--expt-relaxed-constexpr;-arch=sm_90")

file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sculpting/cuda/*.cu)
foreach(source IN LISTS cuda_sources)
  cmake_path(GET source STEM name)
  set(object ${PROJECT_BINARY_DIR}/cuda/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda
    COMMAND ${NVCC} -std=c++20 ${ENSUE_CUDA_BACKEND_FLAGS} -Xcompiler=-fPIC -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -MD -MF ${object}.d -c -o ${object} ${source}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Compiling for the GPU: ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(ensue PRIVATE ${object})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endforeach()
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/sculpting/sculpting.cpp APPEND PROPERTY COMPILE_DEFINITIONS ENSUE_CUDA_BACKEND)
find_package(Threads REQUIRED)
target_link_libraries(ensue PUBLIC $<BUILD_INTERFACE:${CUDA_RUNTIME}> $<BUILD_INTERFACE:Threads::Threads> $<BUILD_INTERFACE:${CMAKE_DL_LIBS}> $<BUILD_INTERFACE:rt>)
message(STATUS "ensue: backend cuda by ${NVCC}")
