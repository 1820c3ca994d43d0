# libtorch::libtorch from LIBTORCH_ROOT (environment or -D: a folder with include/ and lib/, as the PyTorch wheel's torch/
# is), else from the system. Its own CMake files want the CUDA toolkit wherever the library was built with it, for
# nothing that takt uses.
set(LIBTORCH_ROOT "$ENV{LIBTORCH_ROOT}" CACHE PATH "A folder with include/ and lib/ of libtorch")
find_path(Libtorch_INCLUDE_DIR torch/csrc/api/include/torch/torch.h HINTS ${LIBTORCH_ROOT} PATH_SUFFIXES include)
set(_hints HINTS ${LIBTORCH_ROOT} PATH_SUFFIXES lib)
find_library(Libtorch_LIBRARY NAMES torch ${_hints})
find_library(Libtorch_CPU_LIBRARY NAMES torch_cpu ${_hints})
find_library(Libtorch_C10_LIBRARY NAMES c10 ${_hints})
find_library(Libtorch_CUDA_LIBRARY NAMES torch_cuda ${_hints})  # none in a build for the CPU
mark_as_advanced(Libtorch_CUDA_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libtorch
  REQUIRED_VARS Libtorch_LIBRARY Libtorch_CPU_LIBRARY Libtorch_C10_LIBRARY Libtorch_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "libtorch is missing: run tools/bootstrap --test, or pass -DLIBTORCH_ROOT=DIR, or -DTAKT_WITH_TORCH=OFF")

if(Libtorch_FOUND AND NOT TARGET libtorch::libtorch)
  add_library(libtorch::libtorch INTERFACE IMPORTED)
  target_include_directories(libtorch::libtorch SYSTEM INTERFACE
    "${Libtorch_INCLUDE_DIR}" "${Libtorch_INCLUDE_DIR}/torch/csrc/api/include")
  # Wheels of 2.11 show half of a standard library of their own (std::filesystem); the real one has to be asked first.
  target_link_libraries(libtorch::libtorch INTERFACE -Wl,--no-as-needed -lstdc++ -Wl,--as-needed)
  # Kernels for a GPU sign themselves up when their library is loaded: nothing calls it by name.
  if(Libtorch_CUDA_LIBRARY)
    target_link_libraries(libtorch::libtorch INTERFACE -Wl,--no-as-needed "${Libtorch_CUDA_LIBRARY}" -Wl,--as-needed)
  endif()
  target_link_libraries(libtorch::libtorch INTERFACE
    -Wl,--no-as-needed "${Libtorch_LIBRARY}" "${Libtorch_CPU_LIBRARY}" -Wl,--as-needed "${Libtorch_C10_LIBRARY}")
  # Wheels before 2.6 have the old strings of the standard library, and say so.
  file(GLOB _config "${LIBTORCH_ROOT}/share/cmake/Torch/TorchConfig.cmake")
  if(_config)
    file(STRINGS "${_config}" _abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
    if(_abi)
      target_compile_definitions(libtorch::libtorch INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
    endif()
  endif()
endif()
