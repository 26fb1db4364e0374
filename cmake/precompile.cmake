# Headers that nearly every source parses, parsed once for all of them.
#
# cairn_precompile(TARGET KIND) gives a target one of the sets below. None has a header of ours: those
# change, and everything would be compiled again. A source still includes what it uses: the preset `plain`
# builds without any of this, so that a missing include shows.

option(CAIRN_PRECOMPILE "Precompile the headers that nearly every source parses" ON)

set(CAIRN_HEADERS_std
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <cstring> <deque>
  <expected> <filesystem> <functional> <list> <map> <memory> <mutex> <numeric> <optional> <random>
  <ranges> <set> <span> <stop_token> <string> <string_view> <thread> <unordered_map> <unordered_set>
  <utility> <variant> <vector> <fmt/format.h>)
set(CAIRN_HEADERS_json ${CAIRN_HEADERS_std}
  <boost/json/array.hpp> <boost/json/kind.hpp> <boost/json/object.hpp> <boost/json/string.hpp>
  <boost/json/value.hpp>)
set(CAIRN_HEADERS_test ${CAIRN_HEADERS_json} <gmock/gmock.h> <gtest/gtest.h>)

# Both compilers take a precompiled header only from a source with the same options, so each kind is
# made once with the options that its users have.
function(cairn_precompiled_headers kind)
  set(target cairn_headers_${kind})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/headers_${kind}.cc CONTENT "\n")
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/headers_${kind}.cc)
  target_link_libraries(${target} PRIVATE cairn_flags ${ARGN})
  target_precompile_headers(${target} PRIVATE ${CAIRN_HEADERS_${kind}})
  cairn_name_headers(${kind})
endfunction()

# Two precompiled headers of the same content have different bytes: clang writes into them where they were made,
# g++ whatever was in its memory. The compiler cache takes this file for them (CCACHE_PCH_EXTSUM): the hash of
# what is in the headers.
function(cairn_name_headers kind)
  set(file ${CMAKE_BINARY_DIR}/headers_${kind}.h)
  list(TRANSFORM CAIRN_HEADERS_${kind} PREPEND "#include " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(WRITE ${file} "${lines}\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++23 -E -P -x c++ ${file}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(suffix pch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(suffix gch)
  endif()
  string(SHA256 hash "${CMAKE_CXX_COMPILER_VERSION} ${text}")
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/cairn_headers_${kind}.dir/cmake_pch.hxx.${suffix}.sum ${hash})
endfunction()

function(cairn_precompile target kind)
  if(CAIRN_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM cairn_headers_${kind})
  endif()
endfunction()

if(CAIRN_PRECOMPILE)
  # What a compiler cache needs to see through precompiled headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
    # As CMake has it, but by an option of the driver, whose path the cache knows to be one.
    set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
  endif()
  cairn_precompiled_headers(std fmt::fmt)
  cairn_precompiled_headers(json fmt::fmt Boost::json)
  if(CAIRN_TESTS)
    find_package(GTest REQUIRED)
    cairn_precompiled_headers(test fmt::fmt Boost::json GTest::gmock)
    cairn_test_options(cairn_headers_test)
  endif()
endif()
