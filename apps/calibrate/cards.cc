#include "cards.h"

#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>

namespace calibrate {
namespace {

// Numbers of pairs: `all`, half of that, and so on to 1.
std::vector<int> numbers_of_pairs(int all) {
  std::vector<int> result;
  for (int n = all; n > 0; n /= 2) result.push_back(n);
  return result;
}

class Pairs {
 public:
  Pairs(const Sides& sides, const Extent& extent) : bytes_(std::min(extent.longest, std::int64_t{1} << 20)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    for (std::size_t i = 0; i < sides.here.size(); ++i) {
      if (sides.here[i] == rank_) take(sides.there[i], i, true);
      if (sides.there[i] == rank_) take(sides.here[i], i, false);
    }
    out_.resize(static_cast<std::size_t>(bytes_));
    in_.resize(static_cast<std::size_t>(bytes_) * many);
  }

  std::int64_t bytes() const { return bytes_; }

  // The cost of a start, which occurs once for all messages, cancels out.
  double per_message(int pairs, bool both_ways) {
    const double some = exchange(pairs, both_ways, few), more = exchange(pairs, both_ways, many);
    return (more - some) / (many - few);
  }

 private:
  static constexpr int few = 4, many = 16;

  void take(int partner, std::size_t pair, bool first) {
    partner_ = partner;
    pair_ = static_cast<int>(pair);
    first_ = first;
  }

  double exchange(int pairs, bool both_ways, int messages) {
    std::vector<MPI_Request> requests;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = clock_seconds();
    if (pair_ < pairs) {
      const auto request = [&] { return &requests.emplace_back(); };
      const int bytes = static_cast<int>(bytes_);
      for (int i = 0; i < messages; ++i)
        if (both_ways || !first_)
          MPI_Irecv(in_.data() + i * bytes_, bytes, MPI_BYTE, partner_, 0, MPI_COMM_WORLD, request());
      for (int i = 0; i < messages; ++i)
        if (both_ways || first_)
          MPI_Isend(out_.data(), bytes, MPI_BYTE, partner_, 0, MPI_COMM_WORLD, request());
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return clock_seconds() - begin;
  }

  const std::int64_t bytes_;
  int rank_ = 0, partner_ = 0, pair_ = 0;
  bool first_ = false;
  std::vector<char> out_, in_;
};

}  // namespace

std::string find_sides(const std::vector<std::string>& names, Sides& sides) {
  std::vector<std::string> nodes;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (std::find(nodes.begin(), nodes.end(), names[rank]) == nodes.end()) nodes.push_back(names[rank]);
    (names[rank] == nodes.front() ? sides.here : sides.there).push_back(static_cast<int>(rank));
  }
  if (nodes.size() == 2 && sides.here.size() == sides.there.size()) return "";
  std::string found = "the ranks are on " + std::to_string(nodes.size()) + " nodes";
  if (nodes.size() == 2)
    found += ", " + std::to_string(sides.here.size()) + " and " + std::to_string(sides.there.size());
  return found + " (expected two nodes with equal numbers of ranks)";
}

std::vector<Sample> measure_cards(const Sides& sides, const Extent& extent,
                                  const std::function<void()>& step) {
  Pairs pairs(sides, extent);
  pairs.per_message(static_cast<int>(sides.here.size()), true);  // connects
  const int repeats = emu_active() ? 1 : extent.quick ? 5 : 15;
  std::vector<Sample> samples;
  for (const int n : numbers_of_pairs(static_cast<int>(sides.here.size())))
    for (const bool both : {false, true}) {
      Sample sample{(both ? "both-ways-" : "one-way-") + std::to_string(n), pairs.bytes(), {}};
      for (int i = 0; i < repeats; ++i) sample.seconds.push_back(std::max(0.0, pairs.per_message(n, both)));
      samples.push_back(sample);
      step();
    }
  return samples;
}

int card_steps(const Sides& sides) {
  return 2 * static_cast<int>(numbers_of_pairs(static_cast<int>(sides.here.size())).size());
}

}  // namespace calibrate
