// Common parts of the programs here. Each rank writes its results to a file of its own,
// in the folder ANSWERS, because lines of different ranks may mix on standard output.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

inline void open_answers(int rank) {
  const char* folder = std::getenv("ANSWERS");
  if (folder && !std::freopen((std::string(folder) + "/rank" + std::to_string(rank)).c_str(), "w", stdout))
    std::abort();
}

class Answers {
 public:
  Answers(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_answers(rank);
  }
  ~Answers() { MPI_Finalize(); }

  int rank = 0, size = 0;
};

// Writes a name and values. Many values are written as their number and a sum that depends on the order (FNV-1a).
template <class T>
void show(const std::string& name, const T* values, std::size_t count) {
  std::printf("%s:", name.c_str());
  if (count <= 40) {
    for (std::size_t i = 0; i < count; ++i) std::printf(" %.17g", static_cast<double>(values[i]));
  } else {
    std::uint64_t sum = 14695981039346656037ULL;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      const double value = static_cast<double>(values[i]);
      std::memcpy(&bits, &value, sizeof bits);
      sum = (sum ^ bits) * 1099511628211ULL;
    }
    std::printf(" %zu values, %016llx", count, static_cast<unsigned long long>(sum));
  }
  std::printf("\n");
}

template <class T>
void show(const std::string& name, const std::vector<T>& values) {
  show(name, values.data(), values.size());
}

inline void show(const std::string& name, long long value) { std::printf("%s: %lld\n", name.c_str(), value); }

// Writes all that a status contains about a message of `type`.
inline void show(const std::string& name, const MPI_Status& status, MPI_Datatype type) {
  int count = -1, elements = -1, cancelled = -1;
  MPI_Get_count(&status, type, &count);
  MPI_Get_elements(&status, type, &elements);
  MPI_Test_cancelled(&status, &cancelled);
  const auto text = [](int n) { return n == MPI_UNDEFINED ? std::string("undefined") : std::to_string(n); };
  std::printf("%s: source %d, tag %d, count %s, elements %s, cancelled %d\n", name.c_str(), status.MPI_SOURCE,
              status.MPI_TAG, text(count).c_str(), text(elements).c_str(), cancelled);
}

inline std::string numbered(const char* name, long long n) {
  return std::string(name) + ' ' + std::to_string(n);
}

// The numbers `first`, `first` + 1, ...
template <class T = int>
std::vector<T> counting(std::size_t count, int first = 0) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(first + static_cast<int>(i));
  return values;
}
