#include "rank/protocols/deferred.h"

namespace emu::rank {

Deferred::Deferred(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler)
    : core_(core), operations_(operations), scheduler_(scheduler), request_(pool.take<Composite>()) {
  request_->peer = match::Waiting::nobody;
  request_->tag = match::Waiting::no_tag;
}

Deferred::~Deferred() {
  if (!part_[0]) return;
  if (goal_) scheduler_.remove(*goal_);
  part_[0]->owner = nullptr;
  operations_.drop(part_[0]);
}

void Deferred::finish(const Status& status) {
  core_.polling.interrupted();
  request_->status = status;
  request_->finish();
  scheduler_.call_others();
}

void Deferred::begin(Request* part) {
  part_[0] = part;
  if (part->complete()) return completed();
  part->owner = this;
  request_->goal = &goal_.emplace(core_, operations_, part_);
  scheduler_.add(*goal_);
}

void Deferred::completed() {
  if (goal_) scheduler_.remove(*goal_);
  finish(part_[0]->status);
}

}  // namespace emu::rank
