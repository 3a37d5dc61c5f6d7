// A collective operation under way on one rank: an object that events advance.
//
// start() carries out the schedule's steps up to the first wait that has something to wait for. Each event that
// ends one of its requests is handled through it, and the one that ends the last of a wait carries out the steps
// up to the next. It ends in start() or in the handling of an event, whichever call the event is handled by: a
// blocking operation is the goal of the call that started it, and one that goes on in the background is added to
// the scheduler (rank/scheduler.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/schedule.h"
#include "rank/goals.h"

namespace emu::rank {

// What a collective works on. `combine`: into := from op into.
struct Memory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  void (*combine)(void* state, const std::byte* from, std::byte* into, model::Bytes bytes) = nullptr;
  void* state = nullptr;
  bool predefined = true;  // `combine` does no work of the program's
};

// How much members agree about the lengths of their messages; the worse comes later.
enum class Lengths : std::uint8_t {
  agree,
  disagree,   // a message was too short, or another member has said that they do not agree
  truncated,  // a message was too long
};

class Collective final : public BreakableGoal, private Request::Owner {
 public:
  // All outlive it, and so does the memory behind `memory`. `tag`: of its messages; operations of one communicator
  // that are under way at once have different ones. `owner`, if it is given, is told when it is done.
  Collective(Core& core, Operations& operations, const Communicator& comm, int tag,
             const model::Schedule& schedule, const Memory& memory, Owner* owner = nullptr);
  ~Collective() override;
  Collective(const Collective&) = delete;

  // For the report of a deadlock: it goes on in the background.
  void name(const match::Joined& joined) { joined_ = joined; }
  // Once.
  void start();
  bool done() const { return done_; }
  // The failed rank that broke it; -1: none did.
  int failed() const { return failed_; }
  // Whether the members disagree about lengths: a message was not of the length of its place, or another member, whom
  // that happened to, says so. As in MPICH the operation goes on nevertheless, so that nobody waits in vain.
  Lengths lengths() const { return lengths_; }

  void handle(const Event& event) override;
  void describe(match::Waiting& waiting) const override;

 private:
  void completed() override;
  void finish(int failed);
  void advance();
  void end_wait();
  void carry_out(const model::Step& step);
  void own(Request* request);
  void keep_start(const model::Step& step);
  void compare_lengths(const Request& request);
  const Communicator& sending();
  void copy(const std::byte* from, std::byte* into, model::Bytes bytes);
  void combine(const std::byte* from, std::byte* into, model::Bytes bytes);
  void record_work(Instant before);
  std::byte* at(const model::Slice& slice);

  const Communicator& comm_;
  const int tag_;
  Owner* const owner_;
  const model::Schedule& schedule_;
  const Memory memory_;
  std::vector<std::byte> scratch_;
  std::size_t next_ = 0;           // step
  std::vector<Request*> started_;  // since the wait before
  int outstanding_ = 0;            // of these, not complete
  bool done_ = false;
  int failed_ = -1;
  Lengths lengths_ = Lengths::agree;
  std::optional<match::Joined> joined_;
  std::unique_ptr<Communicator> telling_;  // by which messages say so
};

}  // namespace emu::rank
