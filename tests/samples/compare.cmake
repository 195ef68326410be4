# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
# Makes a sample and compares it with the one that is stored; MAKER, MADE and STORED are paths.
execute_process(COMMAND ${MAKER} ${MADE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${MADE} ${STORED} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${STORED} is not what ${MAKER} makes; run it on that path to make it anew")
endif()
