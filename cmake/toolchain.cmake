# Warnings, sanitizers, linker and compiler cache: the same for every target.

add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wunused -Woverloaded-virtual -Wnull-dereference -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside libstdc++ and fmt for correct code at -O2 and under sanitizers.
  # Of sources compiled together, a name in one is no concern of another: of locals only.
  target_compile_options(cairn_flags INTERFACE $<IF:$<BOOL:${CAIRN_TOGETHER}>,-Wshadow=local,-Wshadow>
    -Wno-maybe-uninitialized -Wno-null-dereference
    -Wno-restrict -Wno-dangling-pointer -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
else()
  # clang cannot be told to look at locals only; the preset `plain` compiles each source by itself.
  target_compile_options(cairn_flags INTERFACE $<$<NOT:$<BOOL:${CAIRN_TOGETHER}>>:-Wshadow> -Wthread-safety)
endif()

# Function names and lines: enough for a profile or a stack, in a tenth of the room of -g.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
# Frame pointers cost a percent and make every profile readable.
# -pthread everywhere: some libraries ask for it, and precompiled headers want the same of all.
add_compile_options(-fno-omit-frame-pointer -pthread)
if(CAIRN_SANITIZE)
  add_compile_options(-fsanitize=${CAIRN_SANITIZE} -fno-sanitize-recover=all -O1 -g1)
  add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()

if(CAIRN_FUZZ)
  # So that any part of the program can be under a fuzz target.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CAIRN_CCACHE ccache)
if(CAIRN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CAIRN_CCACHE})
endif()

find_program(CAIRN_MOLD mold)
if(CAIRN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# A test is compiled more often than it is run: half the time of -O2. What the sanitizers are to look
# at is the code under test.
function(cairn_test_options target)
  if(CAIRN_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
