# cmake -DFROM=file -DTO=file -DWORDS=folder -P mutate.cmake: the file with the
# text of folder/line replaced by that of folder/instead, or as it is, with a
# warning, where the text is not there exactly once: then the mutant's test
# fails.
file(READ "${FROM}" text)
file(READ "${WORDS}/line" line)
file(READ "${WORDS}/instead" instead)
string(FIND "${text}" "${line}" first)
string(FIND "${text}" "${line}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(WARNING "${FROM} has changed: the mutant finds its line no more, or twice: ${line}")
else()
  string(REPLACE "${line}" "${instead}" text "${text}")
endif()
file(WRITE "${TO}" "${text}")
