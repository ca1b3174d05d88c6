# cmake -DFROM=file -DTO=file -DPLANTS=folder;folder... -P plant.cmake: the file
# with the text of each folder/line replaced by that of folder/instead. Fails
# where a text is not there exactly once: then the file has changed, and the
# mutant has to follow it.
file(READ "${FROM}" text)
foreach(folder IN LISTS PLANTS)
  file(READ "${folder}/line" line)
  file(READ "${folder}/instead" instead)
  string(FIND "${text}" "${line}" first)
  string(FIND "${text}" "${line}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${FROM}: the mutant of ${folder} finds its text no more, or twice:\n${line}")
  endif()
  string(REPLACE "${line}" "${instead}" text "${text}")
endforeach()
file(WRITE "${TO}" "${text}")
