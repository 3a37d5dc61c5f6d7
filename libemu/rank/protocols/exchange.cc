#include "rank/protocols/exchange.h"

namespace emu::rank {

Exchange::Exchange(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler, Request* send,
                   Request* receive, model::Bytes room)
    : operations_(operations),
      scheduler_(scheduler),
      request_(pool.take<Composite>()),
      parts_{send, receive},
      goal_(core, operations, parts_) {
  request_->goal = &goal_;
  request_->buffer = Buffer::contiguous(nullptr, room);
  for (Request* part : parts_) part->owner = this;
  scheduler_.add(goal_);
  completed();
}

Exchange::~Exchange() {
  scheduler_.remove(goal_);
  for (Request* part : parts_) {
    part->owner = nullptr;
    operations_.drop(part);
  }
}

void Exchange::completed() {
  const auto [send, receive] = parts_;
  request_->receive = send->complete() && !receive->complete() ? as<Receive>(receive) : nullptr;
  if (!all_over(parts_)) return;
  scheduler_.remove(goal_);
  request_->status = receive->status;
  if (send->status.failed >= 0) request_->status.failed = send->status.failed;
  request_->finish();
}

}  // namespace emu::rank
