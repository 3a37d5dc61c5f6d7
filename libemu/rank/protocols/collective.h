// A collective operation under way on one rank: an object that events advance.
//
// start() carries out the steps of the schedule up to the first wait that has incomplete
// requests. This object handles each event that ends one of them. The event that ends the last
// request of a wait also carries out the steps up to the next wait. The operation ends in start()
// or in the handling of an event, in any call: a blocking operation is the goal of the call that
// started it; an operation in the background is a protocol of the scheduler (rank/scheduler.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/schedule.h"
#include "rank/goals.h"

namespace emu::rank {

// Memory of a collective operation. `combine`: into := from op into.
struct Memory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  void (*combine)(void* state, const std::byte* from, std::byte* into, model::Bytes bytes) = nullptr;
  void* state = nullptr;
  bool predefined = true;  // `combine` is not work of the program
};

// Agreement of the members about the lengths of their messages, in ascending order of severity.
enum class Lengths : std::uint8_t {
  agree,
  disagree,   // a message was too short, or another member has reported a disagreement
  truncated,  // a message was too long
};

class Collective final : public BreakableGoal, private Request::Owner {
 public:
  // All arguments outlive the object, and so does the memory behind `memory`. `tag`: of its messages; concurrent
  // operations of one communicator have different tags. `owner`, if given, is notified when the operation is done.
  Collective(Core& core, Operations& operations, const Communicator& comm, int tag,
             const model::Schedule& schedule, const Memory& memory, Owner* owner = nullptr);
  ~Collective() override;
  Collective(const Collective&) = delete;

  // For the deadlock report: the operation is in the background.
  void name(const match::Joined& joined) { joined_ = joined; }
  // Called once.
  void start();
  bool done() const { return done_; }
  // The failed rank that broke the operation; -1: none did.
  int failed() const { return failed_; }
  // Whether the lengths agree. They do not if a message had another length than its place, or if another member
  // reports such a message. As in MPICH the operation continues nevertheless, so that no member waits in vain.
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
  void allocate();
  void copy(const std::byte* from, std::byte* into, model::Bytes bytes);
  void combine(const std::byte* from, std::byte* into, model::Bytes bytes);
  std::byte* at(const model::Slice& slice);

  const Communicator& comm_;
  const int tag_;
  Owner* const owner_;
  const model::Schedule& schedule_;
  const Memory memory_;
  std::vector<std::byte> scratch_;
  std::size_t next_ = 0;           // step
  std::vector<Request*> started_;  // since the previous wait
  int outstanding_ = 0;            // number of these that are incomplete
  bool done_ = false;
  int failed_ = -1;
  Lengths lengths_ = Lengths::agree;
  std::optional<match::Joined> joined_;
  std::unique_ptr<Communicator> telling_;  // its messages report a disagreement
};

}  // namespace emu::rank
