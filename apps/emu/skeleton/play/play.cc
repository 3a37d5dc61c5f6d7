#include "skeleton/play/play.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "fibers/fiber_run.h"
#include "skeleton/play/accounts.h"
#include "skeleton/play/communicators.h"
#include "skeleton/play/plan.h"

namespace emu::skeleton {
namespace {

using app::fibers::bytes_only;
using app::fibers::FiberRun;
using app::fibers::Self;

constexpr model::Bytes any_length = model::Bytes{1} << 50;  // room for a message

int peer_of(std::int32_t peer, bool of_any) {
  if (peer >= 0) return peer;
  return peer == any && of_any ? match::any_source : rank::proc_null;
}

// The steps of the C program on one rank (skeleton/generate/generate.cc, skeleton/generate/step_text.cc,
// skeleton/generate/prelude.h).
class Player {
 public:
  Player(const Plan& plan, const Self& self, const FiberRun& run, Contexts& contexts)
      : plan_(plan),
        self_(self),
        rank_(self.rank()),
        communicators_(self, run, contexts),
        random_(rank_.number()),
        turns_(static_cast<std::size_t>(plan.turns)),
        lefts_(static_cast<std::size_t>(plan.lefts)),
        samples_(static_cast<std::size_t>(plan.samples)) {}

  Accounts play() {
    play(plan_.items);
    accounts_.account(now());
    rank_.enter("MPI_Gather");
    communicators_.gather(world, 4 * 8);
    rank_.leave();
    return accounts_;
  }

 private:
  double now() const { return 1e-12 * static_cast<double>(rank_.now().picoseconds()); }

  void play(const std::vector<Planned>& items) {
    for (const Planned& item : items) play(item);
  }
  void play(const Planned& item);
  void scaled_loop(const Planned& item);
  void compute(double seconds);
  void work(const PlannedWork& work);
  void step(const Planned& item);
  void point_to_point(const Planned& item, const Call& call);
  void wait(const Call& call);
  void farm(const Planned& item);
  void deal(const Planned& item, rank::Communicator& of, int master);
  void work_for(const Planned& item, rank::Communicator& of, int master);
  void send(rank::Communicator& of, int to, int tag, model::Bytes bytes, rank::Mode mode, const char* call);
  rank::Status receive(rank::Communicator& of, int from, int tag);
  int tag_of(const Planned& item, std::int32_t tag) const { return item.of_any_tag ? match::any_tag : tag; }
  rank::Request*& request(std::size_t slot) {
    if (requests_.size() <= slot) requests_.resize(slot + 1);
    return requests_[slot];
  }

  const Plan& plan_;
  const Self& self_;
  rank::Rank& rank_;
  Communicators communicators_;
  Random random_;
  Accounts accounts_;
  std::vector<Turns> turns_;
  std::vector<double> lefts_;
  std::vector<Samples> samples_;
  std::vector<rank::Request*> requests_;  // by slot; null: none
  std::vector<rank::Request*> waited_;
};

void Player::play(const Planned& item) {
  switch (item.kind) {
    case Planned::Kind::step:
      return step(item);
    case Planned::Kind::loop:
      for (long i = 0; i < item.times; ++i) play(item.body);
      return;
    case Planned::Kind::varying_loop:
      for (long i = times(item.mean, lefts_[static_cast<std::size_t>(item.state)]); i > 0; --i)
        play(item.body);
      return;
    case Planned::Kind::scaled_loop:
      return scaled_loop(item);
    case Planned::Kind::farm:
      work(item.work);
      return farm(item);
  }
}

void Player::scaled_loop(const Planned& item) {
  const LoopScale& scale = item.scale;
  Samples& samples = samples_[static_cast<std::size_t>(item.state)];
  for (long i = 0; i < scale.first + scale.rest; ++i) {
    if (i == scale.first) accounts_.weigh(scale.weight, now());
    play(item.body);
    Accounts::sample(samples, i < scale.first, now());
  }
  accounts_.end_of_samples(samples);
  accounts_.weigh(1.0 / scale.weight, now());
}

void Player::compute(double seconds) {
  rank_.enter("emu_compute");
  self_.compute(Interval::seconds(seconds));
  rank_.leave();
}

void Player::work(const PlannedWork& work) {
  if (!work.any) return;
  double seconds = work.of(rank_.number());
  if (work.turns >= 0) {
    Turns& turns = turns_[static_cast<std::size_t>(work.turns)];
    turns.count = work.turn_count;
    const bool turn = !work.only_scaled || accounts_.weight > 1;
    seconds = seconds * (turn ? random_.turn(work.classes, turns, work.together) : 1);
  }
  compute(seconds);
}

// --- steps

void Player::step(const Planned& item) {
  work(item.work);
  const Call& call = item.step->calls[static_cast<std::size_t>(rank_.number())];
  switch (call.function) {
    case Function::nothing:
    case Function::finalize:
    case Function::farm:
    case Function::count_:
      return;
    case Function::wait:
      return wait(call);
    case Function::communicator:
      rank_.enter("MPI_Comm_split");
      communicators_.split(*item.step, call);
      return rank_.leave();
    case Function::free_communicator:
      return communicators_.free(call.slot);
    default:
      break;
  }
  if (!is_collective(call.function)) return point_to_point(item, call);
  rank_.enter(name(call.function));
  communicators_.collective(*item.step, call, item.unit);
  rank_.leave();
}

void Player::send(rank::Communicator& of, int to, int tag, model::Bytes bytes, rank::Mode mode,
                  const char* call) {
  rank_.enter(call);
  self_.check(call, rank_.send(of, to, tag, bytes_only(bytes), mode), bytes);
  rank_.leave();
}

rank::Status Player::receive(rank::Communicator& of, int from, int tag) {
  rank_.enter("MPI_Recv");
  const rank::Status status = rank_.receive(of, from, tag, bytes_only(any_length));
  self_.check("MPI_Recv", status, any_length);
  rank_.leave();
  return status;
}

void Player::point_to_point(const Planned& item, const Call& call) {
  rank::Communicator& of = communicators_.of(call.comm);
  const Function f = call.function;
  const bool synchronous = f == Function::ssend || f == Function::issend;
  const rank::Mode mode = synchronous ? rank::Mode::synchronous : rank::Mode::standard;
  const int peer = peer_of(call.peer, item.of_any);
  if (is_blocking_send(f))
    return send(of, peer, call.tag, call.bytes, mode, synchronous ? "MPI_Ssend" : "MPI_Send");
  if (f == Function::recv) {
    receive(of, peer, tag_of(item, call.tag));
  } else if (f == Function::sendrecv) {
    rank_.enter("MPI_Sendrecv");
    self_.check("MPI_Sendrecv",
                rank_.send_receive(of, peer_of(call.peer, false), call.tag, bytes_only(call.bytes),
                                   peer_of(call.source, item.of_any), tag_of(item, call.source_tag),
                                   bytes_only(any_length)),
                any_length);
    rank_.leave();
  } else {
    const bool sends = is_started_send(f);
    rank_.enter(!sends ? "MPI_Irecv" : synchronous ? "MPI_Issend" : "MPI_Isend");
    request(static_cast<std::size_t>(call.slot)) =
        sends ? rank_.isend(of, peer, call.tag, bytes_only(call.bytes), mode)
              : rank_.ireceive(of, peer, tag_of(item, call.tag), bytes_only(any_length));
    rank_.leave();
  }
}

void Player::wait(const Call& call) {
  const char* const name = call.list.size() == 1 ? "MPI_Wait" : "MPI_Waitall";
  waited_.clear();
  for (const std::int64_t slot : call.list)
    if (slot >= 0)
      if (rank::Request* const one = std::exchange(request(static_cast<std::size_t>(slot)), nullptr))
        waited_.push_back(one);
  rank_.enter(name);
  rank_.wait_all(waited_);
  for (rank::Request* const one : waited_) {
    self_.check(name, one->status, any_length);
    rank_.free(one);
  }
  rank_.leave();
}

// --- farms

void Player::farm(const Planned& item) {
  const Call& call = item.step->calls.front();
  rank::Communicator& of = communicators_.of(call.comm);
  if (of.rank != call.peer) return work_for(item, of, call.peer);
  deal(item, of, call.peer);
}

void Player::work_for(const Planned& item, rank::Communicator& of, int master) {
  const PlannedFarm& farm = item.farm;
  const int result_tag = item.step->calls.front().source_tag;
  const long tasks = farm.scale.tasks();
  const auto works = static_cast<double>(farm.works.size());
  const auto result = [&] {
    send(of, master, result_tag, farm.result_bytes, rank::Mode::standard, "MPI_Send");
  };
  if (farm.asks) result();
  for (;;) {
    const int task = receive(of, master, match::any_tag).tag;
    if (task == 0) return;
    compute(farm.works[static_cast<std::size_t>(
        static_cast<long>(static_cast<double>(task - 1) * works / static_cast<double>(tasks)))]);
    result();
  }
}

void Player::deal(const Planned& item, rank::Communicator& of, int master) {
  const PlannedFarm& farm = item.farm;
  const FarmScale& scale = farm.scale;
  const Call& call = item.step->calls.front();
  const long tasks = scale.tasks();
  const int size = of.size();
  long dealt = 0;
  Samples results;
  const auto task = [&](int to) {
    const int tag = dealt < tasks ? static_cast<int>(dealt + 1) : 0;
    send(of, to, tag, call.bytes, rank::Mode::standard, "MPI_Send");
    ++dealt;
  };
  for (int to = 0; to < size && !farm.asks; ++to)
    if (to != master) task(to);
  for (long done = farm.asks ? 1 - size : 0; done < tasks; ++done) {
    if (scale.rest > 0 && done == scale.first) accounts_.weigh(farm.factor, now());
    if (scale.rest > 0 && done == scale.first + scale.rest) {
      accounts_.end_of_samples(results);
      accounts_.weigh(1 / farm.factor, now());
    }
    const int slave = receive(of, match::any_source, call.source_tag).source;
    compute(farm.master_work);
    task(slave);
    Accounts::sample(results, done < scale.first, now());
  }
}

// --- all ranks

class Playing final : public app::fibers::Program {
 public:
  Playing(const Skeleton& skeleton, const Scaling& scaling, std::string name)
      : plan_(plan_of(skeleton, scaling)),
        name_(std::move(name)),
        accounts_(static_cast<std::size_t>(skeleton.ranks)) {}

  void on(const FiberRun& run) { run_ = &run; }
  int ranks() const override { return plan_.ranks; }
  std::string name() const override { return name_; }
  void play(const Self& self) override {
    const auto player = std::make_unique<Player>(plan_, self, *run_, contexts_);
    accounts_[static_cast<std::size_t>(self.rank().number())] = player->play();
  }
  const std::vector<Accounts>& accounts() const { return accounts_; }

 private:
  const Plan plan_;
  const std::string name_;
  const FiberRun* run_ = nullptr;
  Contexts contexts_;
  std::vector<Accounts> accounts_;
};

// The outcome with the digits that the C program prints.
Outcome printed(const Outcome& outcome) {
  char text[200];
  std::snprintf(text, sizeof text, "skeleton: predicted %.12g s = %.9g x %.12g s + %.12g s, +- %.6g s\n",
                outcome.predicted, outcome.factor, outcome.scaled, outcome.whole, outcome.half_width);
  return parse_outcome(text).value_or(outcome);
}

}  // namespace

Result<Played> play(const Skeleton& skeleton, const Scaling& scaling, const target::Target& target,
                    const std::string& name, const std::string& trace) {
  Playing playing(skeleton, scaling, name);
  FiberRun run(playing, target, trace);
  playing.on(run);
  auto summary = run();
  if (!summary) return tl::unexpected(summary.error());
  return Played{std::move(*summary), printed(outcome_of(playing.accounts()))};
}

}  // namespace emu::skeleton
