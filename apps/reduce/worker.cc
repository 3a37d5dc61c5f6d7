#include "worker.h"

#include <algorithm>

namespace reduce {
namespace {

int bytes_of(const Vector& vector) { return static_cast<int>(vector.size() * sizeof(Element)); }

int data_tag(int task) { return first_data_tag + task % most_tasks; }
int copy_tag(int reduction) { return first_copy_tag + reduction % most_reductions; }

// What a transfer that was given up may still write into, or be read from.
void abandon(Vector vector) {
  static std::vector<Vector> abandoned;
  abandoned.push_back(std::move(vector));
}

}  // namespace

Worker::Worker(MPI_Comm comm, double fails_at) : comm_(comm), fails_at_(fails_at) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  number_ = rank - 1;
  workers_ = ranks - 1;
  expect_order();
}

bool Worker::mute() const { return MPI_Wtime() >= fails_at_; }

void Worker::say(const Report& report) const {
  if (mute()) return;
  MPI_Send(&report, sizeof report, MPI_BYTE, 0, report_tag, comm_);
}

// --- what the program calls

void Worker::store(int reduction, Vector input, const Operation& operation, double seconds) {
  Reduction& r = reductions_[reduction];
  if (ended_ || mute()) return;
  r.operation = &operation;
  r.seconds = seconds;
  r.copy.resize(input.size());
  r.input = std::move(input);
  MPI_Request in, out;
  const int next = (number_ + 1) % workers_;
  const int previous = (number_ + workers_ - 1) % workers_;
  MPI_Irecv(r.copy.data(), bytes_of(r.copy), MPI_BYTE, previous + 1, copy_tag(reduction), comm_, &in);
  MPI_Isend(r.input.data(), bytes_of(r.input), MPI_BYTE, next + 1, copy_tag(reduction), comm_, &out);
  add({Transfer::copy_in, reduction, none}, in);
  add({Transfer::copy_out, reduction, none}, out);
  if (r.over) {  // it has failed before it began; the neighbours may not know yet
    forget(reduction, none);
    release(r);
  }
}

void Worker::wait_stored(int reduction) {
  const Reduction& r = reductions_[reduction];
  while (!r.stored && !r.over && !ended_) progress(true);
}

void Worker::start(int reduction, int root) {
  const Reduction& r = reductions_[reduction];
  if (!r.over && !ended_) say({Report::ready, reduction, none, root, r.seconds});
}

bool Worker::test(int reduction) {
  progress(false);
  return reductions_[reduction].over || ended_;
}

void Worker::wait(int reduction) {
  const Reduction& r = reductions_[reduction];
  while (!r.over && !ended_) progress(true);
}

void Worker::reduce(int reduction, int root) {
  start(reduction, root);
  wait(reduction);
}

std::optional<Vector> Worker::result(int reduction) {
  std::optional<Vector> result = std::move(reductions_[reduction].result);
  reductions_.erase(reduction);
  return result;
}

bool Worker::finish() {
  if (!ended_) say({Report::bye, none, none, none, 0});
  while (!ended_) progress(true);
  return !held_for_failed_;
}

// --- transfers

void Worker::add(Transfer transfer, MPI_Request request) {
  transfers_.push_back(transfer);
  requests_.push_back(request);
}

void Worker::expect_order() {
  MPI_Request request;
  MPI_Irecv(&order_, sizeof order_, MPI_BYTE, 0, order_tag, comm_, &request);
  add({Transfer::order, none, none}, request);
}

// Handles what has come; one thing at least if it may block.
void Worker::progress(bool block) {
  while (!ended_) {
    int index = MPI_UNDEFINED;
    int there = 1;
    if (block)
      MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
    else
      MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &there, MPI_STATUS_IGNORE);
    if (!there || index == MPI_UNDEFINED) return;
    const Transfer transfer = transfers_[index];
    transfers_.erase(transfers_.begin() + index);
    requests_.erase(requests_.begin() + index);
    arrived(transfer);
    if (block) return;
  }
}

void Worker::arrived(const Transfer& transfer) {
  if (transfer.kind == Transfer::order) {
    const Order order = order_;
    if (order.kind != Order::end) expect_order();
    if (!mute() || order.kind == Order::end) obey(order);
    return;
  }
  if (mute()) return;
  if (transfer.kind == Transfer::copy_in) say({Report::stored, transfer.reduction, none, none, 0});
  if (transfer.kind == Transfer::data_in) combine(transfer.task);
}

// Gives up the transfers of a task, or all of a reduction if the task is none.
void Worker::forget(int reduction, int task) {
  for (std::size_t i = 0; i < requests_.size();) {
    const Transfer& t = transfers_[i];
    if (t.kind == Transfer::order || t.reduction != reduction || (task != none && t.task != task)) {
      ++i;
      continue;
    }
    int done = 0;
    MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
    if (!done) {
      MPI_Request_free(&requests_[i]);
      reductions_[reduction].given_up = true;
    }
    if (const auto found = waiting_.find(t.task); t.kind == Transfer::data_in && found != waiting_.end()) {
      if (!done) abandon(std::move(found->second.data));
      waiting_.erase(found);
    }
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
    transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The reduction's memory, all but its result.
void Worker::release(Reduction& r) {
  std::vector<Vector> vectors;
  vectors.push_back(std::move(r.input));
  vectors.push_back(std::move(r.copy));
  for (auto& [number, partial] : r.partials) vectors.push_back(std::move(partial));
  r.partials.clear();
  if (!r.given_up) return;
  for (Vector& vector : vectors) abandon(std::move(vector));
}

// --- what the master wants

void Worker::obey(const Order& order) {
  switch (order.kind) {
    case Order::ping:
      return say({Report::here, none, none, none, 0});
    case Order::farewell:
      MPI_Send(nullptr, 0, MPI_BYTE, order.peer + 1, farewell_tag, comm_);
      return;
    case Order::end:
      return end(order);
    case Order::drop:
      return drop(order);
    case Order::complete:
      return complete(order);
    default:
      break;
  }
  Reduction& r = reductions_[order.reduction];
  switch (order.kind) {
    case Order::begin:
      r.stored = true;
      break;
    case Order::combine:
    case Order::receive: {
      Waiting& waiting = waiting_[order.task];
      waiting.order = order;
      if (order.peer == number_) break;  // "send" follows
      waiting.data.resize(r.input.size());
      MPI_Request request;
      MPI_Irecv(waiting.data.data(), bytes_of(waiting.data), MPI_BYTE, order.peer + 1, data_tag(order.task),
                comm_, &request);
      add({Transfer::data_in, order.reduction, order.task}, request);
      break;
    }
    case Order::send: {
      if (order.peer == number_) {
        waiting_[order.task].data = look(r, order.partial);
        combine(order.task);
        break;
      }
      const Vector& data = look(r, order.partial);
      MPI_Request request;
      MPI_Isend(data.data(), bytes_of(data), MPI_BYTE, order.peer + 1, data_tag(order.task), comm_, &request);
      add({Transfer::data_out, order.reduction, order.task}, request);
      break;
    }
  }
}

void Worker::combine(int task) {
  Waiting waiting = std::move(waiting_[task]);
  waiting_.erase(task);
  Reduction& r = reductions_[waiting.order.reduction];
  double seconds = 0;
  if (waiting.order.partial == none) {
    r.partials[waiting.order.result] = std::move(waiting.data);
  } else {
    const double start = MPI_Wtime();
    Vector own = take(r, waiting.order.partial);
    r.operation->apply(waiting.data, own);
    r.partials[waiting.order.result] = std::move(own);
    seconds = MPI_Wtime() - start;
  }
  if (!mute()) say({Report::done, waiting.order.reduction, task, none, seconds});
}

void Worker::drop(const Order& order) {
  const bool combines = waiting_.contains(order.task);
  forget(order.reduction, order.task);
  if (combines) say({Report::dropped, order.reduction, order.task, none, 0});
}

void Worker::complete(const Order& order) {
  Reduction& r = reductions_[order.reduction];
  r.over = true;
  if (order.partial != none &&
      (order.partial < workers_ ? order.partial == number_ : r.partials.contains(order.partial)))
    r.result = take(r, order.partial);
  forget(order.reduction, none);
  release(r);
}

// Partial results that are inputs stay; others are used up.
Vector Worker::take(Reduction& r, int partial) {
  if (partial < workers_) return look(r, partial);
  Vector taken = std::move(r.partials[partial]);
  r.partials.erase(partial);
  return taken;
}

const Vector& Worker::look(Reduction& r, int partial) {
  if (partial >= workers_) return r.partials[partial];
  return partial == number_ ? r.input : r.copy;
}

// Those that are held for failed take what was sent to them before, so that nobody waits for them at the end.
void Worker::end(const Order& order) {
  ended_ = true;
  held_for_failed_ = order.peer != none;
  for (int farewells = 0; farewells < order.peer;) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> message(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_, MPI_STATUS_IGNORE);
    farewells += status.MPI_TAG == farewell_tag;
  }
  for (auto& [number, r] : reductions_) {
    forget(number, none);
    release(r);
  }
}

}  // namespace reduce
