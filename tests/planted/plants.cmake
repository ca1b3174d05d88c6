# Copies of shipped sources with lines changed, made while building: what the
# programs with planted mutants are made of.
include_guard(GLOBAL)
set(ZLINK_PLANT "${CMAKE_CURRENT_LIST_DIR}/plant.cmake" CACHE INTERNAL "")

# zlink_plant_folder(PROGRAM FILE FOLDER): in src/FILE the text of FOLDER/line
# becomes that of FOLDER/instead.
function(zlink_plant_folder program file folder)
  string(MAKE_C_IDENTIFIER "${file}" key)
  set_property(GLOBAL APPEND PROPERTY "zlink_${program}_${key}" "${folder}")
  get_property(files GLOBAL PROPERTY "zlink_${program}_files")
  if(NOT file IN_LIST files)
    set_property(GLOBAL APPEND PROPERTY "zlink_${program}_files" "${file}")
  endif()
endfunction()

# zlink_planted_sources(PROGRAM OUT): the changed sources, below src/ of the
# calling folder's place in the build.
function(zlink_planted_sources program out)
  set(all)
  get_property(files GLOBAL PROPERTY "zlink_${program}_files")
  foreach(file IN LISTS files)
    string(MAKE_C_IDENTIFIER "${file}" key)
    get_property(plants GLOBAL PROPERTY "zlink_${program}_${key}")
    set(words)
    foreach(folder IN LISTS plants)
      list(APPEND words "${folder}/line" "${folder}/instead")
    endforeach()
    set(from "${PROJECT_SOURCE_DIR}/src/${file}")
    set(to "${CMAKE_CURRENT_BINARY_DIR}/src/${file}")
    add_custom_command(OUTPUT "${to}"
      COMMAND ${CMAKE_COMMAND} "-DFROM=${from}" "-DTO=${to}" "-DPLANTS=${plants}" -P "${ZLINK_PLANT}"
      DEPENDS "${from}" ${words} "${ZLINK_PLANT}" VERBATIM)
    list(APPEND all "${to}")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()
