// Common parts of the programs here that use files.
#pragma once

#include <cstdlib>
#include <string>

#include "answers.h"

// A file in the folder of the results, where it is compared.
inline std::string name(const char* file) {
  const char* folder = std::getenv("ANSWERS");
  return std::string(folder ? folder : ".") + "/file." + file;
}

inline MPI_File opened(const char* file, int mode) {
  MPI_File result = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name(file).c_str(), mode, MPI_INFO_NULL, &result);
  if (code != MPI_SUCCESS) std::printf("%s is not opened\n", file);
  return result;
}

// Shows what a status contains about bytes that were read or written.
inline void show(const std::string& text, const MPI_Status& status) {
  MPI_Count bytes = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  std::printf("%s: %lld bytes\n", text.c_str(), static_cast<long long>(bytes));
}
