#include "farm/roles.h"

#include <algorithm>
#include <utility>

#include "advice/chunks.h"

namespace emu::app::farms {
namespace {

constexpr Channel collective_channel = 0, task_channel = 1, result_channel = 2, collect_channel = 3;

Note without_seconds(const Note& chunk) { return {chunk.first, chunk.count, 0}; }

class Sequence : public Process {
 public:
  explicit Sequence(std::vector<std::unique_ptr<Process>> parts) : parts_(std::move(parts)) {}
  bool go_on(Machine& machine) override {
    while (next_ < parts_.size()) {
      if (!parts_[next_]->go_on(machine)) return false;
      ++next_;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<Process>> parts_;
  std::size_t next_ = 0;
};

class Collective : public Process {
 public:
  Collective(int rank, model::Schedule schedule) : rank_(rank), schedule_(std::move(schedule)) {}
  bool go_on(Machine& machine) override {
    using Kind = model::Step::Kind;
    if (next_ == 0) machine.allocate(rank_, schedule_.scratch, schedule_.largest);
    while (next_ < schedule_.steps.size()) {
      const model::Step& step = schedule_.steps[next_];
      if (step.kind == Kind::wait && !machine.wait(rank_)) return false;
      if (step.kind == Kind::send)
        machine.start_send(rank_, step.peer, collective_channel, step.slice.bytes);
      else if (step.kind == Kind::receive)
        machine.start_receive(rank_, step.peer, collective_channel);
      else if (step.kind == Kind::copy)
        machine.copy(rank_, step.slice.bytes);
      else if (step.kind == Kind::combine)
        machine.reduce(rank_, step.slice.bytes);
      ++next_;
    }
    return true;
  }

 private:
  const int rank_;
  const model::Schedule schedule_;
  std::size_t next_ = 0;
};

class Master : public Process {
 public:
  Master(const Job& job, int rank, int slaves, Next next)
      : job_(job), rank_(rank), slaves_(slaves), next_(std::move(next)) {}

 protected:
  // Sends the slave its next chunk. False if no tasks are left; then it sends the slave a stop message, if `stop`.
  bool deal(Machine& machine, int slave, bool stop) {
    Note chunk;
    if (!exhausted_) chunk = next_(slave);
    // The rule `advised` may have no tasks for this slave, and some for others.
    exhausted_ = chunk.count == 0 && chunk.first >= 0;
    if (chunk.count == 0 && !stop) return false;
    if (job_.master_seconds > 0 && chunk.count > 0) machine.compute(rank_, job_.master_seconds * chunk.count);
    dealing(machine, slave);
    machine.start_send(rank_, rank_ + 1 + slave, task_channel,
                       job_.bytes.task + chunk.count * job_.bytes.input, chunk);
    return chunk.count > 0;
  }
  // Called just before a chunk is sent to `slave`.
  virtual void dealing(Machine&, int) {}
  void hear(Machine& machine) {
    machine.start_receive(rank_, any_rank, result_channel);
    hearing_ = true;
  }
  // The slave whose message was received.
  int heard(Machine& machine) {
    hearing_ = false;
    return machine.received(rank_).from - rank_ - 1;
  }

  const Job& job_;
  const int rank_;
  const int slaves_;
  const Next next_;
  bool hearing_ = false;
  bool exhausted_ = false;
};

class DealMaster : public Master {
 public:
  DealMaster(const Job& job, int rank, int slaves, Next next)
      : Master(job, rank, slaves, std::move(next)), under_way_(static_cast<std::size_t>(slaves)) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      if (round_ < job_.prefetch) {
        begin(machine);
      } else if (hearing_) {
        go_on_dealing(machine);
      } else if (left_ > 0) {
        hear(machine);
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  // Deals the first chunks: one to each slave in turn, in each round.
  void begin(Machine& machine) {
    if (deal(machine, slave_, round_ == 0)) {
      ++under_way_[static_cast<std::size_t>(slave_)];
      ++left_;
    }
    if (++slave_ < slaves_) return;
    slave_ = 0;
    ++round_;
  }
  void go_on_dealing(Machine& machine) {
    const int slave = heard(machine);
    int& here = under_way_[static_cast<std::size_t>(slave)];
    if (deal(machine, slave, here == 1)) return;
    --here;
    --left_;
  }

  std::vector<int> under_way_;  // number of chunks, by slave
  int round_ = 0, slave_ = 0;
  std::int64_t left_ = 0;  // number of missing results
};

class DealSlave : public Process {
 public:
  DealSlave(const Job& job, int rank, int master) : job_(job), rank_(rank), master_(master) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      receiving_ = !receiving_;
      if (receiving_) {
        machine.start_receive(rank_, master_, task_channel);
        continue;
      }
      const Note chunk = machine.received(rank_).note;
      if (chunk.count == 0) return true;
      machine.compute(rank_, job_.costs.of(chunk.first, chunk.count));
      machine.start_send(rank_, master_, result_channel, job_.bytes.header + chunk.count * job_.bytes.result,
                         without_seconds(chunk));
    }
    return false;
  }

 private:
  const Job& job_;
  const int rank_, master_;
  bool receiving_ = false;
};

class RequestMaster : public Master {
 public:
  RequestMaster(const Job& job, int rank, int slaves, Next next, Measured measured)
      : Master(job, rank, slaves, std::move(next)),
        measured_(std::move(measured)),
        dealt_at_(static_cast<std::size_t>(slaves)) {
    if (job.probe > 0) probes_.resize(static_cast<std::size_t>(slaves));
  }
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      if (job_.tries && !tried_) {
        try_out(machine);
      } else if (std::cmp_less(probed_, probes_.size())) {
        probe(machine);
      } else if (first_ < static_cast<int>(probes_.size())) {
        stopped_ += !deal(machine, first_++, true);
      } else if (hearing_) {
        const int slave = heard(machine);
        Note done = machine.received(rank_).note;
        if (done.count != 0 && job_.turnaround)
          done.seconds = machine.read_clock(rank_) - dealt_at_[static_cast<std::size_t>(slave)];
        if (job_.tries) measured_.clock(machine.read_clock(rank_));
        if (done.count != 0) measured_.took(slave, done);
        stopped_ += !deal(machine, slave, true);
      } else if (stopped_ < slaves_) {
        hear(machine);
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  void dealing(Machine& machine, int slave) override {
    if (job_.turnaround) dealt_at_[static_cast<std::size_t>(slave)] = machine.read_clock(rank_);
  }
  void try_out(Machine& machine) {
    const std::int32_t tasks = job_.costs.tasks(), count = advice::tried_out(tasks);
    const double start = machine.read_clock(rank_);
    machine.compute(rank_, job_.costs.of(tasks - count, count));
    tried_ = true;
    measured_.tried(machine.read_clock(rank_) - start);
  }
  void probe(Machine& machine) {
    if (!hearing_) return hear(machine);
    const int slave = heard(machine);
    probes_[static_cast<std::size_t>(slave)] = machine.received(rank_).note.seconds;
    if (++probed_ == slaves_) measured_.probed(probes_);
  }

  const Measured measured_;
  std::vector<double> probes_;
  std::vector<double> dealt_at_;  // by slave: when its chunk was dealt, by the master's clock
  int probed_ = 0, first_ = 0, stopped_ = 0;
  bool tried_ = false;
};

class RequestSlave : public Process {
 public:
  RequestSlave(const Job& job, int rank, int master) : job_(job), rank_(rank), master_(master) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      if (receiving_) {
        Note chunk = machine.received(rank_).note;
        if (chunk.count == 0) return true;
        request(machine, chunk, job_.costs.of(chunk.first, chunk.count), true);
      } else if (begun_) {
        machine.start_receive(rank_, master_, task_channel);
        receiving_ = true;
      } else {
        begun_ = true;
        request(machine, {}, job_.probe, job_.probe > 0);
      }
    }
    return false;
  }

 private:
  // Sends a request after a chunk that takes `seconds` of work. `times`: the slave times the work by its clock.
  void request(Machine& machine, Note chunk, double seconds, bool times) {
    receiving_ = false;
    chunk.seconds = 0;
    if (times) {
      const double start = machine.read_clock(rank_);
      machine.compute(rank_, seconds);
      chunk.seconds = machine.read_clock(rank_) - start;
    }
    machine.start_send(rank_, master_, result_channel, job_.bytes.header + chunk.count * job_.bytes.result,
                       chunk);
  }

  const Job& job_;
  const int rank_, master_;
  bool begun_ = false, receiving_ = false;
};

class Alone : public Process {
 public:
  Alone(const Job& job, int rank, Next next) : job_(job), rank_(rank), next_(std::move(next)) {}
  bool go_on(Machine& machine) override {
    for (Note chunk = next_(0); chunk.count != 0; chunk = next_(0))
      machine.compute(rank_, job_.costs.of(chunk.first, chunk.count));
    return true;
  }

 private:
  const Job& job_;
  const int rank_;
  const Next next_;
};

// As strategies::send_bytes (apps/strategies/transfer.h).
constexpr model::Bytes piece_bytes = model::Bytes{1} << 28;

class SendResults : public Process {
 public:
  SendResults(int rank, model::Bytes bytes) : rank_(rank), left_(bytes) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      if (left_ == 0) return true;
      const model::Bytes piece = std::min(left_, piece_bytes);
      left_ -= piece;
      machine.start_send(rank_, 0, collect_channel, piece);
    }
    return false;
  }

 private:
  const int rank_;
  model::Bytes left_;
};

class CollectResults : public Process {
 public:
  explicit CollectResults(std::vector<std::pair<int, model::Bytes>> masters) : masters_(std::move(masters)) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(0)) {
      while (next_ < masters_.size() && masters_[next_].second == 0) ++next_;
      if (next_ == masters_.size()) return true;
      auto& [master, left] = masters_[next_];
      left -= std::min(left, piece_bytes);
      machine.start_receive(0, master, collect_channel);
    }
    return false;
  }

 private:
  std::vector<std::pair<int, model::Bytes>> masters_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Process> in_sequence(std::vector<std::unique_ptr<Process>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<Sequence>(std::move(parts));
}

std::unique_ptr<Process> collective(int rank, model::Schedule schedule) {
  return std::make_unique<Collective>(rank, std::move(schedule));
}

std::unique_ptr<Process> deal_master(const Job& job, int master, int slaves, Next next) {
  return std::make_unique<DealMaster>(job, master, slaves, std::move(next));
}

std::unique_ptr<Process> deal_slave(const Job& job, int rank, int master) {
  return std::make_unique<DealSlave>(job, rank, master);
}

std::unique_ptr<Process> request_master(const Job& job, int master, int slaves, Next next,
                                        Measured measured) {
  return std::make_unique<RequestMaster>(job, master, slaves, std::move(next), std::move(measured));
}

std::unique_ptr<Process> request_slave(const Job& job, int rank, int master) {
  return std::make_unique<RequestSlave>(job, rank, master);
}

std::unique_ptr<Process> alone(const Job& job, int rank, Next next) {
  return std::make_unique<Alone>(job, rank, std::move(next));
}

std::unique_ptr<Process> send_results(int rank, model::Bytes bytes) {
  return std::make_unique<SendResults>(rank, bytes);
}

std::unique_ptr<Process> collect_results(std::vector<std::pair<int, model::Bytes>> masters) {
  return std::make_unique<CollectResults>(std::move(masters));
}

}  // namespace emu::app::farms
