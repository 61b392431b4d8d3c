# Headers from specs, and checks of compatibility, in builds with CMake 3.16 or newer.
#
#   execute_process(COMMAND abigen cmake-dir OUTPUT_VARIABLE abigen_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
#   find_package(abigen REQUIRED)
#
#   abigen_generate(TARGET toy SPEC spec/toy.yaml)
#   target_link_libraries(plugin PRIVATE toy)          # plugin.c includes what the spec says, "toy/toy.h"
#   abigen_check(NAME toy-abi HEADER include/toy.h AGAINST origin/main)
#
# ABIGEN_EXECUTABLE is the program to call; by default the `abigen` on the PATH.

find_program(ABIGEN_EXECUTABLE abigen DOC "The abigen program")
if(NOT ABIGEN_EXECUTABLE)
  set(abigen_FOUND FALSE)
  set(abigen_NOT_FOUND_MESSAGE "The program abigen is not on the PATH; set ABIGEN_EXECUTABLE.")
  return()
endif()

# abigen_generate(TARGET <name> SPEC <spec>... [OUT <directory>] [OUTPUTS <output>...])
#
# Defines the interface library <name>, whose users find what is generated from the specs. OUTPUTS says what is made
# beside c, the headers: c-checks, which adds the static library <name>-checks, cpp, python, rust.
# OUT is where it is written, by default abigen/<name> in the current binary directory; where specs are in several
# folders, each folder has a folder of its own there.
#
# Every build asks abigen whether anything is out of date: only abigen knows all that counts, such as used specs in other
# folders, templates, and abigen itself. What has not changed is not written, so nothing is compiled in vain; what no
# spec makes any more is removed.
function(abigen_generate)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUT" "SPEC;OUTPUTS")
  _abigen_check_arguments(abigen_generate "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  if(NOT arg_TARGET OR NOT arg_SPEC)
    message(FATAL_ERROR "abigen_generate needs TARGET and SPEC.")
  endif()
  if(NOT arg_OUT)
    set(arg_OUT "${CMAKE_CURRENT_BINARY_DIR}/abigen/${arg_TARGET}")
  endif()
  get_filename_component(root "${arg_OUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  list(INSERT arg_OUTPUTS 0 c)
  list(REMOVE_DUPLICATES arg_OUTPUTS)
  set(options --prune)
  foreach(output IN LISTS arg_OUTPUTS)
    list(APPEND options --target "${output}")
  endforeach()

  set(folders "")
  foreach(spec IN LISTS arg_SPEC)
    get_filename_component(spec "${spec}" ABSOLUTE)
    get_filename_component(folder "${spec}" DIRECTORY)
    list(APPEND folders "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" key)
    list(APPEND specs_of_${key} "${spec}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(LENGTH folders count)

  set(commands "")
  set(directories "")
  set(sources "")
  foreach(folder IN LISTS folders)
    string(MAKE_C_IDENTIFIER "${folder}" key)
    set(out "${root}")
    if(count GREATER 1)
      string(SHA256 out "${folder}")
      string(SUBSTRING "${out}" 0 8 out)
      set(out "${root}/${out}")
    endif()
    set(command "${ABIGEN_EXECUTABLE}" build ${options} --out "${out}" --spec-dir "${folder}" -- ${specs_of_${key}})
    list(APPEND commands COMMAND ${command})
    # Once now, because the build system has to know which files there will be.
    execute_process(
      COMMAND ${command}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      RESULT_VARIABLE result
      OUTPUT_QUIET
      ERROR_VARIABLE remarks
    )
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "abigen cannot generate ${arg_TARGET}:\n${remarks}")
    endif()
    foreach(output IN LISTS arg_OUTPUTS)
      list(APPEND directories "${out}/${output}")
      file(GLOB_RECURSE made "${out}/${output}/*.h" "${out}/${output}/*.hpp" "${out}/${output}/*.c")
      list(APPEND sources ${made})
    endforeach()
  endforeach()

  add_custom_target(
    "${arg_TARGET}-abigen"
    BYPRODUCTS ${sources}
    ${commands}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Checking what is generated for ${arg_TARGET}"
    VERBATIM
  )
  add_library("${arg_TARGET}" INTERFACE)
  add_dependencies("${arg_TARGET}" "${arg_TARGET}-abigen")
  target_include_directories("${arg_TARGET}" INTERFACE ${directories})
  set(checks ${sources})
  list(FILTER checks INCLUDE REGEX "\\.c$")
  if(checks)
    add_library("${arg_TARGET}-checks" STATIC ${checks})
    target_link_libraries("${arg_TARGET}-checks" PUBLIC "${arg_TARGET}" ${CMAKE_DL_LIBS})
  endif()
endfunction()

# abigen_check(NAME <name> HEADER <path>... AGAINST <revision>
#              [INCLUDE_DIRECTORIES <directory>...] [POLICY <name>] [FAIL_ON <what>] [ARGUMENTS <argument>...] [ALL])
#
# Defines the target <name> and, where tests are enabled, the test <name>; both fail when a header, spec or directory
# has changed since a git revision by more than its version says. With ALL the target is part of every build.
function(abigen_check)
  cmake_parse_arguments(
    PARSE_ARGV 0 arg "ALL" "NAME;AGAINST;POLICY;FAIL_ON" "HEADER;INCLUDE_DIRECTORIES;ARGUMENTS"
  )
  _abigen_check_arguments(abigen_check "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  if(NOT arg_NAME OR NOT arg_HEADER OR NOT arg_AGAINST)
    message(FATAL_ERROR "abigen_check needs NAME, HEADER and AGAINST.")
  endif()
  set(command "${ABIGEN_EXECUTABLE}" diff "--against=${arg_AGAINST}")
  foreach(directory IN LISTS arg_INCLUDE_DIRECTORIES)
    list(APPEND command -I "${directory}")
  endforeach()
  if(arg_POLICY)
    list(APPEND command "--policy=${arg_POLICY}")
  endif()
  if(arg_FAIL_ON)
    list(APPEND command "--fail-on=${arg_FAIL_ON}")
  endif()
  list(APPEND command ${arg_ARGUMENTS} -- ${arg_HEADER})
  set(all "")
  if(arg_ALL)
    set(all ALL)
  endif()
  add_custom_target(
    "${arg_NAME}" ${all}
    COMMAND ${command}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Comparing with ${arg_AGAINST}: ${arg_HEADER}"
    VERBATIM
  )
  add_test(NAME "${arg_NAME}" COMMAND ${command} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()

function(_abigen_check_arguments function unknown without_value)
  if(unknown)
    message(FATAL_ERROR "${function} has no arguments ${unknown}.")
  endif()
  if(without_value)
    message(FATAL_ERROR "${function}: nothing behind ${without_value}.")
  endif()
endfunction()
