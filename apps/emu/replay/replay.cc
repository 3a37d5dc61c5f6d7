#include "replay/replay.h"

#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fibers/fiber_run.h"
#include "replay/program_reader.h"
#include "target/algorithms.h"

namespace emu::app::replay {

using record::EntryKind;

namespace {

constexpr const char* reasons[record::choices] = {
    "receives from any source, and which message comes first depends on the target",
    "waits for whichever of several requests is complete first, which depends on the target",
    "asks whether requests are complete, and the answer depends on the target",
    "probes for messages, and what is found depends on the target",
    "cancels a request, and whether that succeeds depends on the target",
    "accesses the memory of other ranks, which a replay does not have",
    "has an operation in the background (a nonblocking collective, or a generalized or partitioned request), "
    "which a "
    "replay does not have",
    "accesses a file, which a replay does not have",
    "has several threads that call MPI",
    "has threads or child processes whose work counts",
    "agrees on failures, which a replay does not have"};
static_assert(std::size(reasons) == record::choices);

// The requests and communicators of one rank.
class Player {
 public:
  Player(const fibers::Self& self, ProgramReader& reader)
      : self_(self), rank_(self.rank()), reader_(reader) {}

  void play() {
    Entry entry;
    for (;;) {
      const auto more = reader_.next(entry);
      if (!more) self_.stop(more.error().message);
      if (!*more) return;
      carry_out(entry);
    }
  }

 private:
  void carry_out(const Entry& entry);
  void compute(const Entry& entry);
  void wait(const Entry& entry);
  const rank::Communicator& world(std::uint64_t context);

  const fibers::Self& self_;
  rank::Rank& rank_;
  ProgramReader& reader_;
  const char* call_ = nullptr;  // the current call; null: none
  std::unordered_map<std::uint64_t, rank::Request*> requests_;
  std::map<std::uint64_t, rank::Communicator> worlds_;
  std::vector<rank::Request*> waited_;
};

// A communicator of all ranks, for messages with this context.
const rank::Communicator& Player::world(std::uint64_t context) {
  const auto [found, made] = worlds_.try_emplace(context);
  if (made) {
    found->second.context = context;
    found->second.rank = rank_.number();
    found->second.world = rank::Members::evenly(0, rank_.size());
  }
  return found->second;
}

void Player::carry_out(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::call:
      call_ = entry.name;
      return rank_.enter(call_);
    case EntryKind::leave:
      call_ = nullptr;
      return rank_.leave();
    case EntryKind::declared:
    case EntryKind::measured:
      return compute(entry);
    case EntryKind::send:
      requests_[entry.requests[0]] = rank_.isend(world(entry.context), entry.peer, entry.tag,
                                                 fibers::bytes_only(entry.bytes), rank::Mode(entry.mode));
      return;
    case EntryKind::receive:
      requests_[entry.requests[0]] =
          rank_.ireceive(world(entry.context), entry.peer, entry.tag, fibers::bytes_only(entry.bytes));
      return;
    case EntryKind::wait:
      return wait(entry);
    case EntryKind::free:
      if (const auto found = requests_.find(entry.requests[0]); found != requests_.end()) {
        rank_.free(found->second);
        requests_.erase(found);
      }
      return;
    case EntryKind::clock:
      (void)rank_.read_clock();
      return;
    case EntryKind::sleep:
      return rank_.sleep(entry.time);
    case EntryKind::copy:
      return rank_.copies(entry.bytes);
    case EntryKind::combine:
      return rank_.combines(entry.bytes);
    case EntryKind::allocate:
      return rank_.allocates(entry.bytes, entry.largest);
    case EntryKind::collective:
      return self_.begins_collective(entry.context);
    case EntryKind::buffered:
      return rank_.finish_buffered();
    case EntryKind::begin:
      if (self_.recorder()) self_.recorder()->begin(entry.name, rank_.now());
      if (self_.program()) self_.program()->begin(entry.name);
      return;
    case EntryKind::end:
      if (auto* const recorder = self_.recorder(); recorder && recorder->open_interval())
        recorder->end(std::string(*recorder->open_interval()), rank_.now());
      if (self_.program()) self_.program()->end();
      return;
    case EntryKind::text:
    case EntryKind::met:
    case EntryKind::choice:
    case EntryKind::finish:
      return;
  }
}

// Work declared between two calls was a call of its own in the recording.
void Player::compute(const Entry& entry) {
  const bool own = entry.kind == EntryKind::declared && !call_;
  if (own) rank_.enter("emu_compute");
  self_.compute(entry.time, entry.kind == EntryKind::measured);
  if (own) rank_.leave();
}

void Player::wait(const Entry& entry) {
  waited_.clear();
  for (const std::uint64_t number : entry.requests)
    if (const auto found = requests_.find(number); found != requests_.end()) {
      waited_.push_back(found->second);
      requests_.erase(found);
    }
  rank_.wait_all(waited_);
  for (rank::Request* const request : waited_) {
    self_.check(call_ ? call_ : "MPI_Wait", request->status, request->buffer.bytes);
    rank_.free(request);
  }
}

class Replay final : public fibers::Program {
 public:
  explicit Replay(const Recording& recording) : recording_(recording) {}
  int ranks() const override { return recording_.ranks; }
  std::string name() const override { return recording_.program; }
  void play(const fibers::Self& self) override {
    const auto reader = ProgramReader::open(recording_.folder, self.rank().number());
    if (!reader) self.stop(reader.error().message);
    Player(self, **reader).play();
  }

 private:
  const Recording& recording_;
};

Result<void> can_replay(ProgramReader& reader, const Recording& recording, bool same_collectives,
                        const target::Target& target) {
  const record::ProgramHeader& header = reader.header();
  const std::string rank = recording.folder + ": rank " + std::to_string(header.rank) + ": ";
  Entry entry;
  const char* call = "";
  for (;;) {
    const auto more = reader.next(entry);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    if (entry.kind == EntryKind::call) call = entry.name;
    if (entry.kind == EntryKind::choice)
      return fail(rank + entry.name + " " + reasons[static_cast<std::size_t>(entry.choice)] +
                  ": run the program itself on the target");
    if (entry.kind == EntryKind::collective && !same_collectives)
      return fail(rank + call + " sends the messages that \"" + header.target + "\" has for it, and \"" +
                  target.name + "\" has others ([collectives] differ): run the program itself on the target");
  }
}

}  // namespace

bool is_recording(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(record::program_of(path, 0), error);
}

Result<Recording> open_recording(const std::string& folder) {
  const auto reader = ProgramReader::open(folder, 0);
  if (!reader) return tl::unexpected(reader.error());
  const record::ProgramHeader& header = (*reader)->header();
  return Recording{folder, header.program, header.target, header.ranks};
}

Result<std::unique_ptr<ProgramReader>> open_rank(const Recording& recording, int rank) {
  auto reader = ProgramReader::open(recording.folder, rank);
  if (!reader) return reader;
  const record::ProgramHeader& header = (*reader)->header();
  if (header.rank != rank || header.ranks != recording.ranks || header.target != recording.target)
    return fail(record::program_of(recording.folder, rank) + ": of another run than that of rank 0");
  return reader;
}

Result<void> can_replay(const Recording& recording, const target::Target& target) {
  const std::string ways = target::ways_of_collectives(target, recording.ranks);
  for (int rank = 0; rank < recording.ranks; ++rank) {
    const auto reader = open_rank(recording, rank);
    if (!reader) return tl::unexpected(reader.error());
    const bool same_ways = (*reader)->header().algorithms == ways;
    if (const auto can = can_replay(**reader, recording, same_ways, target); !can) return can;
  }
  return {};
}

Result<record::RunSummary> play(const Recording& recording, const target::Target& target,
                                const std::string& trace) {
  Replay replay(recording);
  return fibers::FiberRun(replay, target, trace)();
}

}  // namespace emu::app::replay
