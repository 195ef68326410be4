# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
# Warnings are errors, for every target of the project and for nothing else.
add_library(project_warnings INTERFACE)
target_compile_options(project_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wimplicit-fallthrough
  -Werror)
# GCC 12 sees overlaps in std::string's operator+ that cannot be (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(project_warnings INTERFACE -Wno-restrict)
endif()
# With few optimisations GCC 12 sees null pointers that cannot be; a release build looks for them.
if(IGGY_SANITIZE)
  target_compile_options(project_warnings INTERFACE -Wno-null-dereference)
endif()
