# One static target per module, warnings and sanitizers in one interface target.
add_library(takt_build_flags INTERFACE)
target_compile_options(takt_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion
                                                  -Wno-sign-conversion)
# g++ 12 reports overlapping copies in its own std::string concatenation (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(takt_build_flags INTERFACE -Wno-restrict)
endif()
if(TAKT_WERROR)
  target_compile_options(takt_build_flags INTERFACE -Werror)
endif()
if(TAKT_SANITIZE)
  target_compile_options(takt_build_flags INTERFACE -fsanitize=${TAKT_SANITIZE} -fno-omit-frame-pointer)
  # With the instrumentation GCC 12 warns falsely inside its own headers (std::optional, std::vector, <regex>); the
  # release build keeps the warning.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(takt_build_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(takt_build_flags INTERFACE -fsanitize=${TAKT_SANITIZE})
endif()

# takt_module(NAME SOURCES … [USES modules and libraries whose headers its headers show] [PRIVATE_USES …])
function(takt_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(takt_${name} STATIC ${ARG_SOURCES})
  add_library(takt::${name} ALIAS takt_${name})
  target_include_directories(takt_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(takt_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_PRIVATE_USES} $<BUILD_INTERFACE:takt_build_flags>)
endfunction()

# takt_test(NAME SOURCES … USES …): a GoogleTest program whose cases become ctest cases.
function(takt_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} GTest::gtest_main GTest::gmock takt_build_flags)
  target_compile_definitions(${name} PRIVATE TAKT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TAKT_SDK_DIR="${TAKT_SDK_DIR}"
                                             TAKT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()
