// World of one collective: all ranks' schedules run at once, with real bytes, in one thread. It is stricter than any
// MPI library: a send completes only when its receive is posted, sizes match exactly, undefined bytes are never read,
// and memory that a started send or receive still uses is never accessed. `error` describes the first violation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.h"

namespace emu::model::testing {

// b := a op b on packed bytes.
using Operator = std::function<void(const std::byte* a, std::byte* b, Bytes bytes)>;

// Bytes with a flag for each byte that tells whether it was written.
struct Memory {
  std::vector<std::byte> bytes;
  std::vector<char> defined;

  void absent() { bytes.clear(), defined.clear(); }
  void undefined(Bytes size) { bytes.assign(size, std::byte{0xEE}), defined.assign(size, 0); }
  void filled(std::vector<std::byte> contents) {
    bytes = std::move(contents);
    defined.assign(bytes.size(), 1);
  }
};

class World {
 public:
  explicit World(int size) : ranks_(size) {}

  Memory& input(int rank) { return ranks_[rank].memory[0]; }
  Memory& output(int rank) { return ranks_[rank].memory[1]; }
  void schedule(int rank, Schedule schedule) { ranks_[rank].schedule = std::move(schedule); }

  // Runs all schedules. True if every schedule ends without an error.
  bool run(const Operator& op);

  std::string error;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  std::vector<int> sends_of;  // messages sent, by rank

 private:
  struct Rank {
    Schedule schedule;
    Memory memory[3];  // by Space
    std::size_t next = 0;
    std::vector<const Step*> started;  // since the last wait
    int open = 0;                      // of these, not yet matched
  };
  struct Pair {
    std::deque<const Step*> sends;
    std::deque<const Step*> receives;
  };

  bool advance(int rank, const Operator& op);
  void perform(int rank, const Step& step, const Operator& op);
  void start(int rank, const Step& step);
  void match(int from, int to);
  bool usable(int rank, const Slice& slice, bool read, bool write);
  void fail(int rank, const std::string& what);
  std::byte* at(int rank, const Slice& s) { return memory(rank, s).bytes.data() + s.offset; }
  Memory& memory(int rank, const Slice& s) { return ranks_[rank].memory[static_cast<int>(s.space)]; }
  void define(int rank, const Slice& s);

  std::vector<Rank> ranks_;
  std::map<std::pair<int, int>, Pair> pairs_;  // by (from, to)
};

}  // namespace emu::model::testing
