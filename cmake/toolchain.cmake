# Warnings, sanitizers, linker and compiler cache: the same for every target.

add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wunused -Woverloaded-virtual -Wnull-dereference -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside libstdc++ and fmt for correct code at -O2 and under sanitizers.
  target_compile_options(cairn_flags INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference
    -Wno-restrict -Wno-dangling-pointer -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
else()
  target_compile_options(cairn_flags INTERFACE -Wthread-safety)
endif()

# Frame pointers cost a percent and make every profile readable.
add_compile_options(-fno-omit-frame-pointer)
if(CAIRN_SANITIZE)
  add_compile_options(-fsanitize=${CAIRN_SANITIZE} -O1 -g1)
  add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()

if(CAIRN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address -g1)
  add_link_options(-fsanitize=address)
endif()

find_program(CAIRN_CCACHE ccache)
if(CAIRN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CAIRN_CCACHE})
endif()

find_program(CAIRN_MOLD mold)
if(CAIRN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
