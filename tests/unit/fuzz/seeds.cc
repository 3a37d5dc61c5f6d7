// seeds FOLDER COUNT: writes inputs to start from: FOLDER/target and FOLDER/availability have the targets and
// availability files of COUNT batches of random programs; FOLDER/frames has frames of each kind between agents.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "reference/program/batch.h"
#include "wire/agent/frame_body.h"
#include "wire/deadlock.h"

using namespace emu::reference;

namespace {

namespace wire = emu::wire;
using Kind = wire::FrameHead::Kind;

// In the format of frames.cc: pieces of 60 bytes, read by node `self` of three from the next node.
class Frames {
 public:
  Frames(const std::string& path, int self) : file_(path, std::ios::binary) {
    file_.put(59);
    file_.put(static_cast<char>(self));
  }
  template <class... Parts>
  Frames& add(Kind kind, const Parts&... parts) {
    put(wire::FrameHead{.kind = kind, .bytes = (0 + ... + sizeof parts), .received = 1});
    (put(parts), ...);
    return *this;
  }

 private:
  template <class T>
  void put(const T& value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::ofstream file_;
};

void write_frames(const std::string& folder) {
  std::filesystem::create_directories(folder);
  emu::match::Message message;
  message.envelope = {0, 1, 7, 16};
  message.arrival = {emu::Instant::from_picoseconds(5000), 1, 3};
  const std::array<char, 16> payload{};
  const wire::ReportHead of_nothing{4000, 0, 0}, of_both{4000, 2, 1};
  const wire::ReportReceived from_us{0, 3}, from_third{2, 4};
  const wire::ReportSent to_third{2, 2, 1};
  const std::array<std::int64_t, 2> arrivals{6000, 7000};
  const wire::Finished one{.rank = 1, .summary = {}}, two{.rank = 4, .summary = {}};
  const wire::Waiter waits{.rank = 1, .wait = {"MPI_Recv", 0, 1, 1}},
      done{.rank = 4, .finished = 1, .joined = {{{"MPI_Bcast", 0, 0, 4, 1, 8}}}};
  const std::int64_t bound = 4000;
  const std::array<char, 8> text{'t', 'h', 'e', ' ', 'e', 'n', 'd', '.'};
  Frames(folder + "/messages", 0)
      .add(Kind::message, message, payload)
      .add(Kind::taken_in)
      .add(Kind::ask, bound);
  Frames(folder + "/reports", 0)
      .add(Kind::report, of_nothing)
      .add(Kind::report, of_both, from_us, from_third, to_third, arrivals);
  Frames(folder + "/end", 0).add(Kind::last_words, text).add(Kind::finished, one, two);
  Frames(folder + "/standstill", 0).add(Kind::suspect).add(Kind::waits, waits, done);
  Frames(folder + "/question", 2).add(Kind::waits);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: seeds FOLDER COUNT\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  write_frames(folder + "/frames");
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
