# One static target per module, warnings and sanitizers in one interface target.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)  # sources in a piece, where a target is compiled in pieces (TAKT_UNITY)
add_library(takt_build_flags INTERFACE)
target_compile_options(takt_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion)
# In a piece of several sources a local name may be that of a word of the file before: there only those of one function
# are compared, which GCC can tell apart.
if(NOT TAKT_UNITY)
  target_compile_options(takt_build_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(takt_build_flags INTERFACE -Wshadow=local)
endif()
# g++ 12 reports overlapping copies in its own std::string concatenation (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(takt_build_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
                         -Wno-free-nonheap-object)
endif()
# Places in the sources are told from the checkout's folder on: shorter to read, and the compiler cache of another checkout
# hits, where __FILE__ would differ.
target_compile_options(takt_build_flags INTERFACE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(TAKT_WERROR)
  target_compile_options(takt_build_flags INTERFACE -Werror)
endif()
if(TAKT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(takt_build_flags INTERFACE -Wno-subobject-linkage)  # every source of a piece is a header to it
endif()
if(TAKT_SANITIZE)
  # Targets with the property TAKT_UNSEEN are compiled without it and only linked with it.
  set(seen "$<NOT:$<BOOL:$<TARGET_PROPERTY:TAKT_UNSEEN>>>")
  target_compile_options(takt_build_flags INTERFACE "$<${seen}:-fsanitize=${TAKT_SANITIZE}>" "$<${seen}:-fno-omit-frame-pointer>")
  # What the address sanitizer reports anyway, and casts to a wrong class: together a fifth of the time to compile.
  if(TAKT_SANITIZE MATCHES "undefined")
    target_compile_options(takt_build_flags INTERFACE "$<${seen}:-fno-sanitize=null,object-size,vptr>")
  endif()
  if(TAKT_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Of library headers nothing but what the address sanitizer sees: a quarter. (The old name of the option: the compiler
    # cache reads the file then. A relative path: another checkout hits.)
    file(RELATIVE_PATH lists "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/tools/sanitizers")
    target_compile_options(takt_build_flags INTERFACE "$<${seen}:-fsanitize-blacklist=${lists}/ubsan.ignore>"
                           "$<${seen}:-fsanitize-coverage-ignorelist=${lists}/coverage.ignore>")
  endif()
  # With the instrumentation GCC 12 warns falsely inside its own headers (std::optional, std::vector, <regex>); the
  # release build keeps the warning.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(takt_build_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(takt_build_flags INTERFACE -fsanitize=${TAKT_SANITIZE})
  # Eighty instrumented programs: LLVM's linker takes a fraction of the time of GNU's.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    find_program(TAKT_LLD ld.lld-14)
    if(TAKT_LLD)
      target_link_options(takt_build_flags INTERFACE "-fuse-ld=lld-14")
    endif()
  endif()
endif()

# Tests run once: to optimise them takes longer than they do. The address sanitizer watches takt's own code and the heap,
# so the tests' sources are compiled without it; the thread sanitizer must see both sides of a race.
set(TAKT_TEST_OPTIONS -O0)
set(TAKT_TESTS_UNSEEN OFF)
if(TAKT_SANITIZE MATCHES "address")
  set(TAKT_TESTS_UNSEEN ON)
endif()

# The common headers, compiled once for all modules and once with GoogleTest for all tests. Worth a third of the time of a
# debug build, less of an optimised one.
function(takt_precompiled name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "// Only carries the precompiled headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE fmt::fmt Threads::Threads takt_build_flags ${ARGN})
endfunction()
if(TAKT_PRECOMPILE)
  takt_precompiled(takt_precompiled_source)
  target_precompile_headers(takt_precompiled_source PRIVATE "${PROJECT_SOURCE_DIR}/src/precompiled.h")
  if(TAKT_SANITIZE)  # for modules that are not optimised there: GCC passes over headers of another level
    takt_precompiled(takt_precompiled_seldom)
    target_compile_options(takt_precompiled_seldom PRIVATE -O0)
    target_precompile_headers(takt_precompiled_seldom PRIVATE "${PROJECT_SOURCE_DIR}/src/precompiled.h")
  endif()
  if(TAKT_BUILD_TESTS)
    takt_precompiled(takt_precompiled_test GTest::gtest GTest::gmock)
    target_compile_options(takt_precompiled_test PRIVATE ${TAKT_TEST_OPTIONS})
    # Programs that use it are compiled without -fPIC, and both must agree.
    set_target_properties(takt_precompiled_test PROPERTIES POSITION_INDEPENDENT_CODE OFF TAKT_UNSEEN ${TAKT_TESTS_UNSEEN})
    target_precompile_headers(takt_precompiled_test PRIVATE "${PROJECT_SOURCE_DIR}/src/precompiled.h" <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# The order of the wings and their rooms, a room a line; the file is the one place where it is written.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/modules.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/src/modules.txt" TAKT_ROOMS REGEX "^[a-z]")
list(TRANSFORM TAKT_ROOMS REPLACE "/.*" "" OUTPUT_VARIABLE TAKT_WINGS)
list(REMOVE_DUPLICATES TAKT_WINGS)

function(takt_use_precompiled target from)
  if(TAKT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# Of code that no test works hard: with a sanitizer's checks it takes longer to be optimised than it runs.
function(takt_seldom_run target)
  if(TAKT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
    takt_use_precompiled(${target} takt_precompiled_seldom)
  else()
    takt_use_precompiled(${target} takt_precompiled_source)
  endif()
endfunction()

# takt_module(NAME [BUSY] SOURCES … [USES modules and libraries whose headers its headers show] [PRIVATE_USES …]). BUSY: it is not
# seldom run.
function(takt_module name)
  cmake_parse_arguments(ARG "BUSY" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(takt_${name} STATIC ${ARG_SOURCES})
  add_library(takt::${name} ALIAS takt_${name})
  target_include_directories(takt_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(takt_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_PRIVATE_USES} $<BUILD_INTERFACE:takt_build_flags>)
  if(ARG_BUSY)
    takt_use_precompiled(takt_${name} takt_precompiled_source)
  else()
    takt_seldom_run(takt_${name})
  endif()
  set_target_properties(takt_${name} PROPERTIES UNITY_BUILD ${TAKT_UNITY})
endfunction()

# takt_plain_library(NAME SOURCES …): a part of a module that programs link alone. It needs no other library at link or run
# time (fmt's headers are compiled in, without the precompiled ones, which count on its library) and is installed.
function(takt_plain_library name)
  add_library(takt_${name} STATIC ${ARGN})
  add_library(takt::${name} ALIAS takt_${name})
  set_target_properties(takt_${name} PROPERTIES EXPORT_NAME ${name} UNITY_BUILD ${TAKT_UNITY})
  target_compile_features(takt_${name} PUBLIC cxx_std_20)
  target_include_directories(takt_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
                                          PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(takt_${name} PRIVATE $<BUILD_INTERFACE:fmt::fmt-header-only> $<BUILD_INTERFACE:takt_build_flags>)
endfunction()

# takt_test(NAME [THREADS] SOURCES … USES …): a GoogleTest program whose cases become ctest cases. THREADS: it starts threads
# of its own; the thread sanitizer sees nothing in the others, so its build leaves them out.
function(takt_test name)
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;USES" ${ARGN})
  if(TAKT_SANITIZE STREQUAL "thread" AND NOT ARG_THREADS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} takt_places GTest::gtest_main GTest::gmock takt_build_flags)
  target_compile_options(${name} PRIVATE ${TAKT_TEST_OPTIONS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF TAKT_UNSEEN ${TAKT_TESTS_UNSEEN}
                                           UNITY_BUILD ${TAKT_UNITY})
  takt_use_precompiled(${name} takt_precompiled_test)
  if(NOT TAKT_SANITIZE)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    return()
  endif()
  # A process per test, as above, costs an instrumented program more than most tests do: a few processes for all of them,
  # each with every n-th test.
  list(LENGTH ARG_SOURCES _shards)
  math(EXPR _shards "(${_shards} + 3) / 4")
  math(EXPR _last "${_shards} - 1")
  foreach(_shard RANGE ${_last})
    add_test(NAME ${name}.${_shard} COMMAND ${name} WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    set_tests_properties(${name}.${_shard} PROPERTIES TIMEOUT 900 ENVIRONMENT "GTEST_TOTAL_SHARDS=${_shards};GTEST_SHARD_INDEX=${_shard}")
  endforeach()
endfunction()
