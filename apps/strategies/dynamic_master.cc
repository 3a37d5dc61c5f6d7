#include "dynamic_master.h"

#include <algorithm>
#include <cstring>

#include "transfer.h"

namespace strategies::dynamic {

Master::Master(const Setting& setting, Range range, int expected, std::optional<int> parent)
    : setting_(setting),
      parent_(parent),
      block_(range, setting.workload.item_bytes()),
      message_(sizeof(Report) + setting.task_items * setting.workload.item_bytes()),
      away_(expected) {
  MPI_Comm_rank(setting.comm, &self_);
  if (range.count != 0) to_do_.push_back(range);
}

void Master::send(int slave, const Order& order) const {
  MPI_Send(&order, sizeof order, MPI_BYTE, slave, order_tag, setting_.comm);
}

void Master::begin_with(int slave) {
  --away_;
  answer(slave);
}

void Master::serve() {
  while (working_ != 0 || away_ != 0) {
    MPI_Status status;
    MPI_Recv(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, MPI_ANY_SOURCE, report_tag,
             setting_.comm, &status);
    Report report;
    std::memcpy(&report, message_.data(), sizeof report);
    switch (report.kind) {
      case Report::result:
        --working_;
        heard(report.waited);
        answer(status.MPI_SOURCE);  // before storing, because the slave waits for it
        store(report);
        break;
      case Report::request:
        --away_;
        answer(status.MPI_SOURCE);
        break;
      case Report::back:
        --away_;
        take_back(status.MPI_SOURCE, report);
        answer(status.MPI_SOURCE);
        serve_idle();
        break;
    }
  }
}

void Master::store(const Report& report) {
  const std::size_t bytes = report.range.count * setting_.workload.item_bytes();
  block_.store(report.range, std::span(message_).subspan(sizeof report, bytes), self_);
}

// --- the next order of a slave

void Master::answer(int slave) {
  if (moving_ != 0) {
    --moving_;
    ++away_;
    return send(slave, {Order::join, {}, moving_to_});
  }
  if (merging_ || to_do_.empty()) return dismiss(slave);
  if (split_wanted_ && split(slave)) return;
  give_work(slave);
}

void Master::give_work(int slave) {
  Range& left = to_do_.back();
  const Range task{left.first, std::min(setting_.task_items, left.count)};
  left = {left.first + task.count, left.count - task.count};
  if (left.count == 0) to_do_.pop_back();
  ++working_;
  send(slave, {Order::work, task, 0});
}

void Master::dismiss(int slave) {
  if (parent_) return send(slave, {Order::join, {}, *parent_});
  idle_.push_back(slave);
}

void Master::serve_idle() {
  std::vector<int> slaves;
  slaves.swap(idle_);
  for (int slave : slaves) answer(slave);
}

void Master::stop_all() const {
  for (int slave : idle_) send(slave, {Order::stop, {}, 0});
}

// --- splitting and merging

void Master::heard(float waited) {
  if (waited < 0) return;
  waited_ += waited;
  if (++waits_ < setting_.adaptation.rounds * std::max(working_, 1)) return;
  consider(waited_ / waits_);
  waited_ = 0;
  waits_ = 0;
}

void Master::consider(double mean_wait) {
  const Adaptation& when = setting_.adaptation;
  split_wanted_ = mean_wait > when.split_at * setting_.round_trip;
  const bool at_rest = away_ == 0 && moving_ == 0 && !to_do_.empty();
  if (parent_ && at_rest && mean_wait < when.merge_at * setting_.round_trip) {
    merging_ = true;
    ++merges_;
  }
}

// Makes `slave` a secondary master, unless there is too little to share. The slaves that move to it get the order
// in answer to their next reports.
bool Master::split(int slave) {
  const int members = working_ + 1;
  const int moved = members / 2;  // the secondary master and its slaves
  const int slaves = moved - 1;
  split_wanted_ = false;
  if (slaves < setting_.adaptation.fewest_slaves) return false;
  // Shares half of the longest range of items, in whole tasks: each slave that moves takes its part.
  auto longest =
      std::max_element(to_do_.begin(), to_do_.end(), [](Range a, Range b) { return a.count < b.count; });
  const std::int32_t tasks = longest->count / setting_.task_items;
  const auto shared = static_cast<std::int32_t>(static_cast<std::int64_t>(tasks) * slaves / (members - 1));
  if (shared < slaves * 2) return false;
  const std::int32_t kept = (tasks - shared) * setting_.task_items;
  const Range given{longest->first + kept, longest->count - kept};
  longest->count = kept;
  ++splits_;
  ++away_;
  moving_ = slaves;
  moving_to_ = slave;
  send(slave, {Order::lead, given, slaves});
  return true;
}

void Master::go_back() const {
  const std::vector<Segment> segments = block_.segments();
  Report report{Report::back, {0, static_cast<std::int32_t>(segments.size())}, splits_, merges_, -1};
  MPI_Send(&report, sizeof report, MPI_BYTE, *parent_, report_tag, setting_.comm);
  send_bytes(std::as_bytes(std::span(segments)), *parent_, segments_tag, setting_.comm);
  std::vector<std::byte> done;
  for (const Segment& segment : segments) {
    if (segment.master < 0) continue;
    const auto results = block_.results_of(segment.range);
    done.insert(done.end(), results.begin(), results.end());
  }
  send_bytes(done, *parent_, results_tag, setting_.comm);
}

void Master::take_back(int child, const Report& report) {
  const std::size_t item_bytes = setting_.workload.item_bytes();
  std::vector<Segment> segments(report.range.count);
  receive_bytes(std::as_writable_bytes(std::span(segments)), child, segments_tag, setting_.comm);
  std::size_t bytes = 0;
  for (const Segment& segment : segments)
    if (segment.master >= 0) bytes += segment.range.count * item_bytes;
  std::vector<std::byte> done(bytes);
  receive_bytes(done, child, results_tag, setting_.comm);
  std::span<const std::byte> rest(done);
  for (const Segment& segment : segments) {
    if (segment.master < 0) {
      to_do_.push_back(segment.range);
      continue;
    }
    const std::size_t size = segment.range.count * item_bytes;
    block_.store(segment.range, rest.first(size), segment.master);
    rest = rest.subspan(size);
  }
  splits_ += report.splits;
  merges_ += report.merges;
}

}  // namespace strategies::dynamic
