// Ranks that a test controls, each with a clock, and their records.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>

#include "analysis/tasks.h"
#include "record/recorder.h"

namespace emu::analysis {

inline Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
inline Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

inline constexpr std::int64_t o = 10, latency = 100;  // of a send and of a receive; between any two ranks

class Script {
 public:
  explicit Script(int ranks)
      : folder_(testing::TempDir() + "tasks-test-" + std::to_string(::getpid())), clocks_(ranks) {
    std::filesystem::create_directory(folder_);
    for (int rank = 0; rank < ranks; ++rank)
      recorders_.push_back(
          *record::Recorder::create(folder_, {rank, ranks, "target", "program"}, [](const auto&) {}));
    sent_.resize(static_cast<std::size_t>(ranks));
  }
  ~Script() { std::filesystem::remove_all(folder_); }

  std::int64_t now(int rank) const { return clocks_[static_cast<std::size_t>(rank)]; }
  void compute(int rank, std::int64_t d) { clock(rank) += d; }
  void send(int from, int to, int tag = 0, const char* call = "MPI_Send") {
    recorder(from).enter(call, at(now(from)));
    put(from, to, record::MessageKind::eager, tag);
    recorder(from).leave();
  }
  void receive(int rank, int from, const char* call = "MPI_Recv") {
    recorder(rank).enter(call, at(now(rank)));
    take(rank, from);
    recorder(rank).leave();
  }
  void probe(int rank, int from) {
    const Message& m = inbox_[{from, rank}].front();
    recorder(rank).enter("MPI_Probe", at(now(rank)));
    clock(rank) = std::max(now(rank), m.arrival);
    recorder(rank).found({m.kind, from, m.sequence, 0, 1, 0}, at(now(rank)), record::Hop(from, m.sequence));
    recorder(rank).leave();
  }
  // Polls until there is a message.
  void poll(int rank, int from) {
    recorder(rank).enter("MPI_Iprobe", at(now(rank)));
    for (; now(rank) < inbox_[{from, rank}].front().arrival; clock(rank) += 7)
      recorder(rank).polled(at(now(rank) + 7));
    recorder(rank).leave();
  }
  // A message by handshake, for which both ranks are ready.
  void long_message(int from, int to) {
    recorder(from).enter("MPI_Send", at(now(from)));
    put(from, to, record::MessageKind::request, 0);
    recorder(to).enter("MPI_Recv", at(now(to)));
    take(to, from);
    put(to, from, record::MessageKind::answer, 0);
    take(from, to);
    put(from, to, record::MessageKind::data, 0);
    recorder(from).leave();
    take(to, from);
    recorder(to).leave();
  }
  // The rank whose message to `rank` arrives first.
  int first(int rank) const {
    int best = -1;
    std::int64_t least = 0;
    for (const auto& [pair, queue] : inbox_) {
      if (pair.second != rank || queue.empty()) continue;
      if (best < 0 || queue.front().arrival < least) {
        best = pair.first;
        least = queue.front().arrival;
      }
    }
    return best;
  }

  TaskTable table() {
    for (std::size_t rank = 0; rank < recorders_.size(); ++rank) {
      record::Path path;
      path.compute = ps(clocks_[rank]);
      recorders_[rank]->finish(at(clocks_[rank]), path);
      recorders_[rank]->close();
    }
    TaskTable table;
    const auto folder = Folder::open(folder_);
    auto history = read_history(*folder);
    EXPECT_TRUE(history) << history.error().message;
    if (!history) return table;
    history_ = std::move(*history);
    auto read = read_tasks(*folder, history_);
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : table;
  }
  const History& history() const { return history_; }

 private:
  struct Message {
    record::MessageKind kind;
    std::uint64_t sequence;
    std::int64_t arrival;
  };
  std::int64_t& clock(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }
  record::Recorder& recorder(int rank) { return *recorders_[static_cast<std::size_t>(rank)]; }
  void put(int from, int to, record::MessageKind kind, int tag) {
    clock(from) += o;
    auto& sent = sent_[static_cast<std::size_t>(from)];
    inbox_[{from, to}].push_back({kind, sent, now(from) + latency});
    recorder(from).sent({kind, to, sent++, tag, 1, 0}, at(now(from)), ps(o), ps(latency));
  }
  void take(int rank, int from) {
    auto& queue = inbox_[{from, rank}];
    const Message m = queue.front();
    queue.pop_front();
    clock(rank) = std::max(now(rank), m.arrival) + o;
    recorder(rank).received({m.kind, from, m.sequence, 0, 1, 0}, at(now(rank)), ps(o),
                            record::Hop(from, m.sequence));
  }

  const std::string folder_;
  std::vector<std::int64_t> clocks_;
  std::vector<std::uint64_t> sent_;
  std::vector<std::unique_ptr<record::Recorder>> recorders_;
  std::map<std::pair<int, int>, std::deque<Message>> inbox_;
  History history_;
};

}  // namespace emu::analysis
