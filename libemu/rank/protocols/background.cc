#include "rank/protocols/background.h"

namespace emu::rank {

namespace {

// Messages of blocking collectives have lower tags.
constexpr int first_tag = 1 << 20;

}  // namespace

int Background::next_tag(Communicator& comm) { return first_tag + comm.background++ % first_tag; }

Background::Background(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler,
                       const Communicator& comm, int tag, const model::Schedule& schedule,
                       const Memory& memory, const Named& named)
    : scheduler_(scheduler),
      request_(pool.take<Composite>()),
      collective_(core, operations, comm, tag, schedule, memory, this) {
  request_->goal = &collective_;
  if (named.call) {
    const match::Joined joined{.call = named.call,
                               .context = comm.context,
                               .first = comm.world[0],
                               .number = 1 + tag - first_tag,
                               .root = named.root,
                               .bytes = named.bytes,
                               .background = true};
    core.deadlock_report.joins(joined);
    collective_.name(joined);
  }
  collective_.start();
  if (!collective_.done()) scheduler_.add(collective_);
}

Background::~Background() { scheduler_.remove(collective_); }

void Background::completed() {
  scheduler_.remove(collective_);
  request_->finish();
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
