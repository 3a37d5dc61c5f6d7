// seeds FOLDER COUNT: writes the targets of so many batches of random programs, and the availability files that they
// name, to start from: FOLDER/target and FOLDER/availability.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reference/batch.h"

using namespace emu::reference;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: seeds FOLDER COUNT\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  for (const char* kind : {"target", "availability"})
    std::filesystem::create_directories(folder + "/" + kind);
  for (std::uint64_t seed = 1; seed <= std::strtoull(argv[2], nullptr, 10); ++seed) {
    Batch batch = make_batch(seed);
    if (seed % 3 == 0) fail_nodes(batch, seed, emu::Interval::picoseconds(1'000'000'000));
    const std::string name = std::to_string(seed);
    const auto files = profile_files(batch.cluster, name);
    std::ofstream target(folder + "/target/batch-" + name, std::ios::binary);
    target << target_file(batch.cluster, name);
    if (!files.empty()) target << '\0' << files.front().text;
    for (std::size_t i = 0; i < files.size(); ++i)
      std::ofstream(folder + "/availability/batch-" + name + "-" + std::to_string(i)) << files[i].text;
  }
}
