# cairn_module(NAME name DEPENDS targets... SOURCES files... ALONE files... TESTS files...)
#
# One folder is one static library `cairn_<name>` and, when it has tests, one program
# `<name>_test`. A module sees the headers of what it depends on and nothing else: the include
# root handed to it holds links to the folders of its dependencies only, so that an include of a
# higher layer does not compile.

set(CAIRN_INCLUDE_ROOTS ${CMAKE_BINARY_DIR}/include)

# Sources of a module are compiled several at once, which parses and instantiates what they share once: half the time
# of a build. batches.awk puts together what can be; what it cannot tell goes ALONE. (CMake's own unity builds name
# sources by their place on the machine, and so share no compiler cache between clones.) See CAIRN_TOGETHER.
# Lines of a batch: one changed source compiles its batch again.
set(CAIRN_TOGETHER_MOST 800)
set(CAIRN_TOGETHER_MOST_TESTS 1600)
if(CAIRN_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ takes included sources for headers, which should not have anonymous namespaces.
  add_compile_options(-Wno-subobject-linkage)
endif()

# cairn_together(VARIABLE NAME FOLDER MOST ALONE): the sources of the variable, relative to this folder, become batches.
function(cairn_together sources name folder most alone)
  set(compiled "")
  foreach(source IN LISTS alone)
    if(source IN_LIST ${sources})
      list(APPEND compiled ${source})
    endif()
  endforeach()
  list(REMOVE_ITEM ${sources} ${alone})
  execute_process(COMMAND awk -v most=${most} -f ${CMAKE_SOURCE_DIR}/cmake/batches.awk ${${sources}}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE batches OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  set(number 0)
  foreach(batch IN LISTS batches)
    string(REPLACE " " ";" batch "${batch}")
    list(TRANSFORM batch REPLACE "(.+)" "#include \"${folder}/\\1\"")
    list(JOIN batch "\n" text)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_${number}.cc)
    file(GENERATE OUTPUT ${file} CONTENT "${text}\n")
    list(APPEND compiled ${file})
    math(EXPR number "${number} + 1")
  endforeach()
  set(${sources} ${compiled} PARENT_SCOPE)
endfunction()

function(cairn_module)
  cmake_parse_arguments(ARG "" "NAME;FOLDER;COST" "DEPENDS;LINKS;SOURCES;ALONE;TESTS;LABELS" ${ARGN})
  set(target cairn_${ARG_NAME})
  if(CAIRN_TOGETHER)
    cairn_together(ARG_SOURCES together ${ARG_FOLDER} ${CAIRN_TOGETHER_MOST} "${ARG_ALONE}")
    if(ARG_TESTS)
      cairn_together(ARG_TESTS together_test ${ARG_FOLDER} ${CAIRN_TOGETHER_MOST_TESTS} "${ARG_ALONE}")
    endif()
  endif()
  add_library(${target} STATIC ${ARG_SOURCES})
  cmake_path(GET ARG_FOLDER PARENT_PATH parent)
  set(root ${CAIRN_INCLUDE_ROOTS}/${ARG_NAME})
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER} ${root}/${ARG_FOLDER} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE cairn_flags ${ARG_LINKS})
  if("cairn_json" IN_LIST ARG_DEPENDS OR ARG_NAME STREQUAL "json")
    cairn_precompile(${target} json)
  else()
    cairn_precompile(${target} std)
  endif()
  if(CAIRN_TESTS AND ARG_TESTS)
    cairn_test(NAME ${ARG_NAME}_test SOURCES ${ARG_TESTS} DEPENDS ${target} LABELS ${ARG_LABELS}
      COST ${ARG_COST})
  endif()
endfunction()

# cairn_part(NAME name FOLDER folder OF module SEES targets... SOURCES files...)
#
# A folder that is compiled into another's module, and may include that module and what it SEES. Who
# includes its headers depends on `cairn_<name>`.
function(cairn_part)
  cmake_parse_arguments(ARG "" "NAME;FOLDER;OF" "SEES;SOURCES" ${ARGN})
  target_sources(cairn_${ARG_OF} PRIVATE ${ARG_SOURCES})
  add_library(cairn_${ARG_NAME} INTERFACE)
  target_link_libraries(cairn_${ARG_NAME} INTERFACE cairn_${ARG_OF})
endfunction()

# cairn_folder(FOLDER folder OF module SEES folders...)
#
# A folder inside a module, and which folders of the same layer it may include beside itself. All of a module have one
# include path, so scripts/check is what holds the sources to it (scripts/modules reads these lines).
function(cairn_folder)
  cmake_parse_arguments(ARG "" "FOLDER;OF" "SEES" ${ARGN})
  foreach(folder IN ITEMS ${ARG_FOLDER} ${ARG_SEES})
    if(NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${folder})
      message(FATAL_ERROR "cairn_folder: there is no folder src/${folder}")
    endif()
  endforeach()
endfunction()

# cairn_test(NAME program SOURCES files... DEPENDS targets... LABELS labels... COST seconds): a GoogleTest
# program, one ctest entry; those that cost most begin first. Labels: threads (also run under the thread sanitizer), whole (of the whole
# program: in the release build only).
function(cairn_test)
  cmake_parse_arguments(ARG "" "NAME;COST" "SOURCES;DEPENDS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  # Boost for its definitions: a precompiled header wants those it was made with.
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPENDS} Boost::json cairn_flags GTest::gmock
    GTest::gtest_main)
  cairn_test_options(${ARG_NAME})
  cairn_precompile(${ARG_NAME} test)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
  if(ARG_COST)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_COST})
  endif()
  if(CAIRN_SANITIZE STREQUAL "thread")
    # Debian's RocksDB is not built for it: the in-memory twin runs the same code above it.
    set_tests_properties(${ARG_NAME} PROPERTIES ENVIRONMENT
      "GTEST_FILTER=-*Rocks*;TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp halt_on_error=1")
  elseif(CAIRN_SANITIZE)
    set_tests_properties(${ARG_NAME} PROPERTIES ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
  endif()
  if(NOT "whole" IN_LIST ARG_LABELS)
    add_dependencies(unit_tests ${ARG_NAME})
  endif()
  if("threads" IN_LIST ARG_LABELS)
    add_dependencies(thread_tests ${ARG_NAME})
  endif()
endfunction()

# What the stages of ./test build.
add_custom_target(unit_tests)
add_custom_target(thread_tests)
