# onnxruntime::onnxruntime from ONNXRUNTIME_ROOT (environment or -D), else from the SDK folder.
# Headers newer than the library crash at run time, so the versions are compared here.
set(ONNXRUNTIME_ROOT "$ENV{ONNXRUNTIME_ROOT}" CACHE PATH "A folder with include/ and lib/ of ONNX Runtime")
set(_roots ${ONNXRUNTIME_ROOT} "${TAKT_SDK_DIR}/onnxruntime")
find_path(OnnxRuntime_INCLUDE_DIR onnxruntime_cxx_api.h HINTS ${_roots} NO_CMAKE_FIND_ROOT_PATH
          PATH_SUFFIXES include include/onnxruntime include/onnxruntime/core/session)
find_library(OnnxRuntime_LIBRARY NAMES onnxruntime libonnxruntime.so.1 HINTS ${_roots} PATH_SUFFIXES lib lib64)

set(_reason "ONNX Runtime is missing: run tools/bootstrap, or pass -DONNXRUNTIME_ROOT=DIR, or -DTAKT_WITH_ONNXRUNTIME=OFF")
if(OnnxRuntime_INCLUDE_DIR AND OnnxRuntime_LIBRARY)
  file(STRINGS "${OnnxRuntime_INCLUDE_DIR}/onnxruntime_c_api.h" _api REGEX "#define ORT_API_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" OnnxRuntime_API_VERSION "${_api}")
  file(REAL_PATH "${OnnxRuntime_LIBRARY}" _real)
  string(REGEX MATCH "so\\.1\\.([0-9]+)" _ "${_real}")
  if(CMAKE_MATCH_1 AND OnnxRuntime_API_VERSION GREATER CMAKE_MATCH_1)
    message(FATAL_ERROR "ONNX Runtime's headers (API ${OnnxRuntime_API_VERSION}) are newer than its library "
                        "(1.${CMAKE_MATCH_1}): use headers of at most that version")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OnnxRuntime REQUIRED_VARS OnnxRuntime_LIBRARY OnnxRuntime_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "${_reason}")
if(OnnxRuntime_FOUND AND NOT TARGET onnxruntime::onnxruntime)
  add_library(onnxruntime::onnxruntime SHARED IMPORTED)
  set_target_properties(onnxruntime::onnxruntime PROPERTIES
    IMPORTED_LOCATION "${OnnxRuntime_LIBRARY}" IMPORTED_SONAME libonnxruntime.so.1
    INTERFACE_INCLUDE_DIRECTORIES "${OnnxRuntime_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${OnnxRuntime_INCLUDE_DIR}")
endif()
