# cairn_module(NAME name DEPENDS targets... SOURCES files... TESTS files...)
#
# One folder is one static library `cairn_<name>` and, when it has tests, one program
# `<name>_test`. A module sees the headers of what it depends on and nothing else: the include
# root handed to it holds links to the folders of its dependencies only, so that an include of a
# higher layer does not compile.

set(CAIRN_INCLUDE_ROOTS ${CMAKE_BINARY_DIR}/include)

function(cairn_module)
  cmake_parse_arguments(ARG "" "NAME;FOLDER" "DEPENDS;LINKS;SOURCES;TESTS;LABELS" ${ARGN})
  set(target cairn_${ARG_NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  cmake_path(GET ARG_FOLDER PARENT_PATH parent)
  set(root ${CAIRN_INCLUDE_ROOTS}/${ARG_NAME})
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER} ${root}/${ARG_FOLDER} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE cairn_flags ${ARG_LINKS})
  if(CAIRN_TESTS AND ARG_TESTS)
    cairn_test(NAME ${ARG_NAME}_test SOURCES ${ARG_TESTS} DEPENDS ${target} LABELS ${ARG_LABELS})
  endif()
endfunction()

# cairn_test(NAME program SOURCES files... DEPENDS targets... LABELS labels...): a GoogleTest
# program, one ctest entry. Labels: threads (also run under the thread sanitizer), whole (of the whole
# program: in the release build only).
function(cairn_test)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPENDS} cairn_flags GTest::gmock GTest::gtest_main)
  # A test is compiled more often than it is run: half the time of -O2 -g. What the sanitizers are
  # to look at is the code under test.
  if(CAIRN_SANITIZE)
    target_compile_options(${ARG_NAME} PRIVATE -O0 -g1 -fno-sanitize=undefined)
  else()
    target_compile_options(${ARG_NAME} PRIVATE -O1 -g1)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
endfunction()
