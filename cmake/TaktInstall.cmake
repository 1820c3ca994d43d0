# The library that programs link (takt::takt), where the built programs find the SDKs, and what `cmake --install` puts
# where. The installed tree can be moved: everything in it is found relative to the program or the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One shared library with everything inside: a program that links it needs none of the headers and versions that takt is
# made of. The objects of `pipeline` hold the classes of include/takt and pull in what they use.
add_library(takt_library SHARED $<TARGET_OBJECTS:takt_pipeline>)
add_library(takt::takt ALIAS takt_library)
set_target_properties(takt_library PROPERTIES OUTPUT_NAME takt EXPORT_NAME takt VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_libraries(takt_library PUBLIC takt::recorder PRIVATE $<BUILD_INTERFACE:takt::pipeline> $<BUILD_INTERFACE:takt_build_flags>)

# The folders of the SDKs' libraries: what the programs link lies there, and what those load at run time.
set(TAKT_SDK_FOLDERS)
if(TAKT_WITH_ONNXRUNTIME)
  get_target_property(_location onnxruntime::onnxruntime IMPORTED_LOCATION)
  cmake_path(GET _location PARENT_PATH takt_onnxruntime_folder)
  list(APPEND TAKT_SDK_FOLDERS "${takt_onnxruntime_folder}")
endif()
if(TAKT_WITH_OPENVINO)
  get_target_property(_location openvino::runtime LOCATION)
  cmake_path(GET _location PARENT_PATH takt_openvino_folder)
  list(APPEND TAKT_SDK_FOLDERS "${takt_openvino_folder}")
endif()

# In the build tree, too, what lies in the checkout is found from where the program lies, so that it can be moved or copied.
set(_folders)
foreach(_folder IN LISTS TAKT_SDK_FOLDERS)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${_folder}" NORMALIZE _is_inside)
  if(_is_inside AND TAKT_INSTALL_SDKS)
    file(RELATIVE_PATH _folder "${PROJECT_BINARY_DIR}" "${_folder}")
    string(PREPEND _folder "$ORIGIN/")
  endif()
  list(APPEND _folders "${_folder}")
endforeach()
set(takt_library_folder "${CMAKE_INSTALL_LIBDIR}/takt")
file(RELATIVE_PATH _to_libraries "/${CMAKE_INSTALL_BINDIR}" "/${takt_library_folder}")
# What is built has the folders that it is installed with from the start: where CMake changes them at an install, it leaves an
# empty element in what is built, and the system's loader takes that for the working directory.
set_target_properties(takt takt_library PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
set_property(TARGET takt PROPERTY INSTALL_RPATH ${_folders} "$ORIGIN/${_to_libraries}")
set_property(TARGET takt_library PROPERTY INSTALL_RPATH ${_folders} "$ORIGIN/takt")

# What `make install` builds.
add_custom_target(install-files DEPENDS takt takt_library takt_recorder takt_base)
if(TAKT_WITH_TORCH)
  add_dependencies(install-files takt-train)
  add_custom_target(training-files DEPENDS takt takt-train)  # what `make demo-training` builds
  # A libtorch of one's own stays where it is.
  set_target_properties(takt-train PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endif()

if(NOT TAKT_INSTALL)
  return()
endif()

install(TARGETS takt RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TAKT_WITH_TORCH)
  install(TARGETS takt-train RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")  # takt looks for it beside itself
endif()
install(TARGETS takt_library takt_recorder takt_base EXPORT takt-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The SDKs are beside what is installed, and the folders of the checkout are nobody's any more.
function(takt_installed_rpath file rpath)
  install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\" NEW_RPATH [[${rpath}]])")
endfunction()
if(TAKT_INSTALL_SDKS)
  takt_installed_rpath("${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:takt>" "$ORIGIN/${_to_libraries}")
  takt_installed_rpath("${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:takt_library>" "$ORIGIN/takt")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/takt" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/pipelines" "${PROJECT_SOURCE_DIR}/examples/plans" "${PROJECT_SOURCE_DIR}/examples/traces"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/takt")
install(EXPORT takt-targets NAMESPACE takt:: DESTINATION "${_package}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/takt-config.cmake.in" "${PROJECT_BINARY_DIR}/package/takt-config.cmake"
                              INSTALL_DESTINATION "${_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/takt-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/takt-config.cmake" "${PROJECT_BINARY_DIR}/package/takt-config-version.cmake"
        DESTINATION "${_package}")
file(RELATIVE_PATH takt_prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(_name IN ITEMS takt takt-recorder)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${_name}.pc.in" "${PROJECT_BINARY_DIR}/package/${_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${_name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

# Completions and manual pages come from the program's own options, so the built program makes them.
install(CODE "set(takt_program \"$<TARGET_FILE:takt>\")
set(takt_made \"${PROJECT_BINARY_DIR}/package\")
set(takt_data_folder \"${CMAKE_INSTALL_DATAROOTDIR}\")
set(takt_manual_folder \"${CMAKE_INSTALL_MANDIR}\")")
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/install_help.cmake")

if(TAKT_INSTALL_SDKS AND TAKT_WITH_ONNXRUNTIME)
  install(DIRECTORY "${takt_onnxruntime_folder}/" DESTINATION "${takt_library_folder}" FILES_MATCHING PATTERN "libonnxruntime*.so*"
          PATTERN "cmake" EXCLUDE PATTERN "pkgconfig" EXCLUDE)
  install(DIRECTORY "${takt_onnxruntime_folder}/../" DESTINATION "${CMAKE_INSTALL_DOCDIR}/onnxruntime" FILES_MATCHING
          PATTERN "LICENSE*" PATTERN "ThirdPartyNotices*" PATTERN "lib" EXCLUDE PATTERN "include" EXCLUDE)
endif()
if(TAKT_INSTALL_SDKS AND TAKT_WITH_OPENVINO)
  # Without what reads other kinds of models and Python's extensions, which takt never loads.
  install(DIRECTORY "${takt_openvino_folder}/" DESTINATION "${takt_library_folder}" FILES_MATCHING
          PATTERN "libopenvino*.so*" PATTERN "libtbb*.so*" PATTERN "libhwloc*.so*" PATTERN "*.xml"
          REGEX "_(jax|paddle|pytorch|tensorflow|tensorflow_lite|gguf)_frontend" EXCLUDE PATTERN "libopenvino_c.so*" EXCLUDE)
  file(GLOB _notices "${takt_openvino_folder}/../../openvino-*.dist-info/licenses")
  foreach(_folder IN LISTS _notices ITEMS "${takt_openvino_folder}/../docs/licensing" "${takt_openvino_folder}/../licenses")
    if(IS_DIRECTORY "${_folder}")
      install(DIRECTORY "${_folder}/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/openvino")
    endif()
  endforeach()
endif()
