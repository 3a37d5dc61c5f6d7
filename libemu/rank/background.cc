#include "rank/background.h"

namespace emu::rank {

// Other collectives' messages have tags below.
int Background::next_tag(Communicator& comm) {
  constexpr int first = 1 << 20;
  return first + comm.background++ % first;
}

Background::Background(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler,
                       const Communicator& comm, int tag, const model::Schedule& schedule,
                       const Memory& memory)
    : scheduler_(scheduler),
      request_(pool.take()),
      collective_(core, operations, comm, tag, schedule, memory, this) {
  request_->state = Request::State::background;
  collective_.start();
  if (!collective_.done()) scheduler_.add(collective_);
}

Background::~Background() { scheduler_.remove(collective_); }

void Background::completed() {
  scheduler_.remove(collective_);
  request_->state = Request::State::complete;
  says(status_);
}

void Background::says(const Status& status) {
  status_ = status;
  if (!request_->complete()) return;
  const Lengths lengths = collective_.lengths();
  const bool broken = collective_.failed() >= 0 || lengths != Lengths::agree;
  request_->status = broken ? Status{.truncated = lengths == Lengths::truncated,
                                     .mismatched = lengths == Lengths::disagree,
                                     .failed = collective_.failed()}
                            : status;
}

}  // namespace emu::rank
