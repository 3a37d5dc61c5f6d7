// emu-calibrate: measures the costs of messages between two of its ranks. `emu calibrate` starts it, and fits a
// target to its output.
// Usage: mpirun -n P emu-calibrate FILE PROGRESS LONGEST LIMIT [quick] [cold] [cards]. FILE gets the measurement as
// JSON; PROGRESS gets one byte for each part that is done, after a first byte, the number of parts. LONGEST is the size
// of the longest message in bytes; LIMIT is S, or "unknown". With "cards", all ranks of two nodes talk at once.
#include <emu/emu.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cards.h"
#include "measure.h"

namespace calibrate {
namespace {

// The first rank on another machine than rank 0, by name; the last rank if all are on one machine.
struct Partner {
  int rank = 1;
  bool elsewhere = false;
};

// The machine of each rank.
std::vector<std::string> machines(int ranks) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(static_cast<std::size_t>(ranks) * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> result;
  for (int i = 0; i < ranks; ++i)
    result.emplace_back(names.data() + static_cast<std::size_t>(i) * sizeof name);
  return result;
}

Partner find_partner(int ranks) {
  const std::vector<std::string> machine = machines(ranks);
  for (int i = 1; i < ranks; ++i)
    if (machine[static_cast<std::size_t>(i)] != machine.front()) return {i, true};
  return {ranks - 1, false};
}

int write(const Measurement& measurement, int ranks, bool elsewhere, bool cold, const std::string& path) {
  nlohmann::ordered_json json = {{"ranks", ranks},
                                 {"two_machines", elsewhere},
                                 {"buffers", cold ? "cold" : "warm"},
                                 {"samples", nlohmann::json::array()}};
  json["eager_limit"] = measurement.eager_limit;
  for (const Sample& sample : measurement.samples)
    json["samples"].push_back({{"kind", sample.kind}, {"bytes", sample.bytes}, {"seconds", sample.seconds}});
  // The file appears complete or not at all.
  const std::string part = path + ".part";
  std::ofstream out(part);
  out << json.dump() << '\n';
  out.close();
  if (out && std::rename(part.c_str(), path.c_str()) == 0) return 0;
  std::cerr << "emu-calibrate: " << path << ": cannot be written" << std::endl;
  return 2;
}

int cards(int rank, int ranks, const Extent& extent, char** argv) {
  Sides sides;
  if (const std::string wrong = find_sides(machines(ranks), sides); !wrong.empty()) {
    if (rank == 0) std::cerr << "emu-calibrate: " << wrong << std::endl;
    return 2;
  }
  std::ofstream progress;
  if (rank == 0) {
    progress.open(argv[2]);
    progress.put(static_cast<char>(card_steps(sides))).flush();
  }
  const Measurement measurement{measure_cards(sides, extent, [&] { progress.put('.').flush(); }),
                                extent.limit};
  return rank == 0 ? write(measurement, ranks, true, false, argv[1]) : 0;
}

int run(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 5 || ranks < 2) {
    if (rank == 0)
      std::cerr
          << "Usage: mpirun -n P emu-calibrate FILE PROGRESS LONGEST LIMIT [quick] [cold]; P is 2 or more"
          << std::endl;
    return 2;
  }
  Extent extent;
  extent.longest = std::max(1024LL, std::atoll(argv[3]));
  extent.limit_known = std::strcmp(argv[4], "unknown") != 0;
  if (extent.limit_known) extent.limit = std::atoll(argv[4]);
  const auto has = [&](const char* word) {
    return std::any_of(argv + 5, argv + argc,
                       [&](const char* given) { return std::strcmp(given, word) == 0; });
  };
  extent.quick = has("quick");
  extent.cold = has("cold");
  if (has("cards")) return cards(rank, ranks, extent, argv);
  const Partner partner = find_partner(ranks);
  if (rank == partner.rank) {
    answer(extent);
  } else if (rank != 0) {
    idle();
  } else {
    std::ofstream progress(argv[2]);
    progress.put(static_cast<char>(steps(extent))).flush();
    const Measurement measurement = measure(partner.rank, extent, [&] { progress.put('.').flush(); });
    dismiss(ranks);
    return write(measurement, ranks, partner.elsewhere, extent.cold, argv[1]);
  }
  return 0;
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = calibrate::run(argc, argv);
  // MPICH 4.0.2 over UCX 1.13's tcp sometimes does not return from MPI_Finalize. The measurement is already written
  // then, and counts whatever the exit code is.
  if (!emu_active()) alarm(5);
  MPI_Finalize();
  return code;
}
