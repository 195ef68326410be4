# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
# IGGY_SANITIZE=address,undefined instruments the whole build; any report ends the program.
set(IGGY_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them")
if(IGGY_SANITIZE)
  add_compile_options(-fsanitize=${IGGY_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${IGGY_SANITIZE})
endif()

# IGGY_FUZZ counts the edges that an input reaches, in every library; the main function of libFuzzer
# is linked by tests/fuzz alone.
if(IGGY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
