# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
# Finds what a dissector plugin is built against, by pkg-config.
#
#   Wireshark::epan         the target to link
#   Wireshark_VERSION       4.0.17
#   Wireshark_PLUGIN_PATH   4.0/epan: where a plugin lies below each folder of plugins
#
# Of wireshark.pc only folders and the version are used: its link flags export every symbol.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_WIRESHARK QUIET wireshark)
  pkg_check_modules(PC_GLIB QUIET glib-2.0)
endif()
find_library(Wireshark_EPAN_LIBRARY wireshark HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
find_library(Wireshark_WSUTIL_LIBRARY wsutil HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
find_library(Wireshark_GLIB_LIBRARY glib-2.0 HINTS ${PC_GLIB_LIBRARY_DIRS})
find_path(Wireshark_INCLUDE_DIR epan/packet.h HINTS ${PC_WIRESHARK_INCLUDE_DIRS}
          PATH_SUFFIXES wireshark)
mark_as_advanced(Wireshark_EPAN_LIBRARY Wireshark_WSUTIL_LIBRARY Wireshark_GLIB_LIBRARY
                 Wireshark_INCLUDE_DIR)

set(Wireshark_VERSION ${PC_WIRESHARK_VERSION})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wireshark
  REQUIRED_VARS Wireshark_EPAN_LIBRARY Wireshark_WSUTIL_LIBRARY Wireshark_GLIB_LIBRARY
                Wireshark_INCLUDE_DIR PC_GLIB_FOUND
  VERSION_VAR Wireshark_VERSION)

if(Wireshark_FOUND)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" Wireshark_MINOR "${Wireshark_VERSION}")
  set(Wireshark_PLUGIN_PATH ${Wireshark_MINOR}/epan)
  if(NOT TARGET Wireshark::epan)
    add_library(Wireshark::epan INTERFACE IMPORTED)
    set_target_properties(Wireshark::epan PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${Wireshark_INCLUDE_DIR};${PC_GLIB_INCLUDE_DIRS}"
      INTERFACE_LINK_LIBRARIES
        "${Wireshark_EPAN_LIBRARY};${Wireshark_WSUTIL_LIBRARY};${Wireshark_GLIB_LIBRARY}")
  endif()
endif()
