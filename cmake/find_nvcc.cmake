# Sets NVCC where there is an nvcc: on the path, where CUDA is usually installed, or where `tools/setup cuda` puts it.
find_program(NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin ${PROJECT_SOURCE_DIR}/build/cuda/bin)
mark_as_advanced(NVCC)
