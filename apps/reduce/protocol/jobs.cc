#include "reduce/protocol/jobs.h"

#include <algorithm>

namespace reduce {

Jobs::Jobs(int rank, const Settings& settings, Wire& wire, Office& office)
    : rank_(rank),
      settings_(settings),
      wire_(wire),
      office_(office),
      speed_(settings.window),
      last_pieces_(static_cast<std::size_t>(settings.ranks), 0.0) {}

// --- queries

bool Jobs::done_with(int job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return true;
  if (found->second.words.empty()) return false;
  return std::all_of(found->second.blocks.begin(), found->second.blocks.end(),
                     [](const auto& block) { return !block.second.combining || block.second.made; });
}

const Outcome* Jobs::outcome(int job) const {
  const auto found = outcomes_.find(job);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Jobs::forget_before(int number) {
  std::erase_if(outcomes_,
                [&](const auto& one) { return one.first < number && released_.erase(one.first) != 0; });
}

void Jobs::give_up(const std::set<int>& failed) {
  std::vector<int> missing;
  for (const auto& [number, transfer] : transfers_)
    if (failed.contains(transfer.from)) missing.push_back(number);
  for (int number : missing) {
    wire_.forget(number);
    missed(number);
  }
}

std::vector<Census::Job> Jobs::census() const {
  std::vector<Census::Job> all;
  for (const auto& [number, job] : jobs_) {
    Census::Job held{number, job.target, job.words, {}};
    std::map<int, Census::Block> blocks;
    for (const auto& [k, block] : job.blocks) {
      blocks[k].combining = block.combining;
      if (block.made) blocks[k].result = State::here;
      for (int i = 0; i < settings_.ranks; ++i)
        if (const State state = block.state[static_cast<std::size_t>(i)];
            i != rank_ && state != State::absent)
          blocks[k].pieces[i] = state;
    }
    for (int k = 0; k < static_cast<int>(job.got.size()); ++k)
      if (const State state = job.got[static_cast<std::size_t>(k)]; state != State::absent)
        blocks[k].result = std::max(blocks[k].result, state);
    for (auto& [k, block] : blocks) {
      block.number = k;
      held.blocks.push_back(std::move(block));
    }
    all.push_back(std::move(held));
  }
  return all;
}

// --- tags

int Jobs::piece_tag(int job, int i, int k) const {
  const int n = settings_.ranks;
  return first_data_tag + (job % jobs_with_tags * 2 * n + i) * n + k;
}

int Jobs::result_tag(int job, int k) const { return piece_tag(job, settings_.ranks, k); }

// --- a plan

void Jobs::plan(const Control& control) {
  const auto found = jobs_.find(control.job);
  if (found == jobs_.end() || !found->second.words.empty()) return;
  Job& job = found->second;
  job.words = control.list;
  job.plan = Plan(control.list[0], control.list[1], {control.list.begin() + 2, control.list.end()},
                  job.spec.terms.count, settings_.copies);
  if (rank_ == job.plan.root || rank_ == job.plan.heir) become_target(control.job, job);
  expect(control.job, job);
  push_if_free(control.job, job);
  if (job.plan.active(rank_)) combine_block(control.job, job, rank_);
  const auto early = std::move(job.early);
  job.early.clear();
  for (const auto& [from, pull] : early) this->pull(from, pull);
  say_if_whole(control.job, job);
  office_.progressed();
}

// Posts receives for all messages that the plan makes other ranks send here.
void Jobs::expect(int number, Job& job) {
  const Plan& plan = job.plan;
  for (int k : plan.blocks_at(rank_)) {
    if (!plan.active(k)) continue;
    for (int step = 1; step < plan.inputs(); ++step) {
      const int i = plan.behind(rank_, -step);
      const std::vector<int> places = plan.places(i, k);
      if (std::find(places.begin(), places.end(), rank_) != places.end())
        receive_piece(number, job, k, i, i, piece_tag(number, i, k));
    }
  }
  for (int k = 0; job.target && k < plan.ranks(); ++k)
    if (plan.active(k) && k != rank_) receive_result(number, job, k, k, result_tag(number, k));
}

// A rank that is not at risk sends its input when it has the pieces of risky ranks that come here: until then the
// network and the copies serve the risky ranks.
void Jobs::push_if_free(int number, Job& job) {
  if (job.pushed || job.words.empty()) return;
  for (int risky : settings_.risky)
    for (const auto& [k, block] : job.blocks)
      if (!settings_.risky.contains(rank_) && block.state[static_cast<std::size_t>(risky)] == State::coming)
        return;
  push_input(number, job);
}

// Sends the pieces to the makers first, beginning with the next rank; then the copies.
void Jobs::push_input(int number, Job& job) {
  job.pushed = true;
  const Plan& plan = job.plan;
  for (const bool copies : {false, true}) {
    for (int step = copies ? 0 : 1; step < plan.inputs(); ++step) {
      const int k = plan.behind(rank_, step);
      if (!plan.active(k)) continue;
      for (int to : plan.places(rank_, k))
        if ((to != k) == copies && !office_.gone(to))
          wire_.send(to, piece_tag(number, rank_, k), own_piece(job, k), plan.count(k), *job.spec.arithmetic);
    }
  }
}

Memory Jobs::own_piece(const Job& job, int k) const {
  return job.spec.arithmetic->part(job.spec.input, job.plan.begin(k));
}

Jobs::Block& Jobs::block(Job& job, int k) {
  const auto [found, first] = job.blocks.try_emplace(k);
  Block& block = found->second;
  if (first) {
    const auto ranks = static_cast<std::size_t>(settings_.ranks);
    block.state.assign(ranks, State::absent);
    block.piece.assign(ranks, nullptr);
    block.next = settings_.ranks - 1;
    if (job.plan.has_input(rank_)) {
      block.state[static_cast<std::size_t>(rank_)] = State::here;
      block.piece[static_cast<std::size_t>(rank_)] = own_piece(job, k);
    }
  }
  return block;
}

// --- transfers

void Jobs::receive_piece(int number, Job& job, int k, int i, int from, int tag) {
  if (office_.gone(from)) return;
  Block& block = this->block(job, k);
  const auto at = static_cast<std::size_t>(i);
  block.piece[at] = job.spec.arithmetic->make(job.plan.count(k));
  block.state[at] = State::coming;
  const int transfer = wire_.receive(from, tag, block.piece[at], job.plan.count(k), *job.spec.arithmetic);
  transfers_[transfer] = {number, k, i, from};
}

void Jobs::receive_result(int number, Job& job, int k, int from, int tag) {
  if (office_.gone(from)) return;
  job.got[static_cast<std::size_t>(k)] = State::coming;
  const int transfer = wire_.receive(from, tag, job.spec.arithmetic->part(job.whole, job.plan.begin(k)),
                                     job.plan.count(k), *job.spec.arithmetic);
  transfers_[transfer] = {number, k, none, from};
}

void Jobs::arrived(int transfer) {
  const auto found = transfers_.find(transfer);
  if (found == transfers_.end()) return;
  const Transfer what = found->second;
  transfers_.erase(found);
  Job& job = jobs_.at(what.job);
  if (what.input == none)
    got_result(what.job, job, what.block);
  else
    have_piece(what.job, job, what.block, what.input);
  office_.deliver();
}

void Jobs::missed(int transfer) {
  const auto found = transfers_.find(transfer);
  if (found == transfers_.end()) return;
  const Transfer what = found->second;
  transfers_.erase(found);
  Job& job = jobs_.at(what.job);
  if (what.input == none) {
    job.got[static_cast<std::size_t>(what.block)] = State::absent;
    return;
  }
  block(job, what.block).state[static_cast<std::size_t>(what.input)] = State::absent;
  push_if_free(what.job, job);
}

// --- combining

void Jobs::have_piece(int number, Job& job, int k, int i) {
  Block& block = this->block(job, k);
  block.state[static_cast<std::size_t>(i)] = State::here;
  last_pieces_[static_cast<std::size_t>(i)] = wire_.now();
  if (block.combining && !block.made) tasks_.push_back({number, k, i});
  push_if_free(number, job);
}

void Jobs::combine_block(int number, Job& job, int k) {
  Block& block = this->block(job, k);
  if (block.combining) return;
  block.combining = true;
  for (int i = settings_.ranks - 1; i >= 0; --i)
    if (block.state[static_cast<std::size_t>(i)] == State::here) tasks_.push_back({number, k, i});
}

bool Jobs::work(std::int64_t bytes) {
  const std::int64_t before = speed_.bytes();
  const double start = wire_.now();
  bool any = false;
  while (speed_.bytes() - before < bytes && combine_one()) any = true;
  if (speed_.bytes() > before) speed_.took(wire_.now() - start);
  if (made_one_) {
    any = true;
    made_one_ = false;
    speed_.finish_measurement();
    office_.progressed();
    office_.deliver();
  }
  return any;
}

bool Jobs::combine_one() {
  while (!tasks_.empty()) {
    const Task task = tasks_.front();
    tasks_.pop_front();
    const auto found = jobs_.find(task.job);
    if (found == jobs_.end()) continue;
    Job& job = found->second;
    Block& block = job.blocks.at(task.block);
    bool combined = false;
    if (!job.spec.ordered) {
      combined = combine_next(task.job, job, block, task.block, task.input);
    } else {
      // Inputs are combined from the last rank's to the first's, as far as they are present.
      while (block.next >= 0 && !job.plan.has_input(block.next)) --block.next;
      if (block.next >= 0 && block.state[static_cast<std::size_t>(block.next)] == State::here) {
        tasks_.push_front(task);
        combined = combine_next(task.job, job, block, task.block, block.next--);
      }
    }
    office_.deliver();
    if (combined) return true;
  }
  return false;
}

// False: nothing was combined, because the first input is only copied.
bool Jobs::combine_next(int number, Job& job, Block& block, int k, int input) {
  const Arithmetic& arithmetic = *job.spec.arithmetic;
  const Memory& piece = block.piece[static_cast<std::size_t>(input)];
  const std::int64_t count = job.plan.count(k);
  const bool first = !block.sum;
  if (first) {
    block.sum = arithmetic.make(count);
    arithmetic.copy(piece, block.sum, count);
  } else {
    arithmetic.combine(piece, block.sum, count);
    speed_.combined(count * arithmetic.element_bytes());
  }
  if (++block.combined == job.plan.inputs()) made(number, job, k);
  return !first;
}

void Jobs::made(int number, Job& job, int k) {
  Block& block = this->block(job, k);
  block.made = true;
  made_one_ = true;
  const Arithmetic& arithmetic = *job.spec.arithmetic;
  const std::int64_t count = job.plan.count(k);
  // If this rank is the plan's maker of the block, the plan's targets have posted receives for it.
  for (int target : {job.plan.root, job.plan.heir})
    if (k == rank_ && target != none && target != rank_ && !office_.gone(target))
      wire_.send(target, result_tag(number, k), block.sum, count, arithmetic);
  for (const auto& [to, tag] : block.pulls)
    if (!office_.gone(to)) wire_.send(to, tag, block.sum, count, arithmetic);
  block.pulls.clear();
  if (job.target) {
    arithmetic.copy(block.sum, arithmetic.part(job.whole, job.plan.begin(k)), count);
    got_result(number, job, k);
  }
}

// --- targets

void Jobs::become_target(int number, Job& job) {
  if (job.target) return;
  const Arithmetic& arithmetic = *job.spec.arithmetic;
  job.target = true;
  job.whole = job.spec.output && rank_ == job.spec.terms.root ? job.spec.output
                                                              : arithmetic.make(job.spec.terms.count);
  job.got.assign(static_cast<std::size_t>(settings_.ranks), State::absent);
  for (int k = 0; k < job.plan.ranks(); ++k) job.missing += job.plan.active(k) ? 1 : 0;
  for (auto& [k, block] : job.blocks) {
    if (!block.made) continue;
    arithmetic.copy(block.sum, arithmetic.part(job.whole, job.plan.begin(k)), job.plan.count(k));
    got_result(number, job, k);
  }
}

void Jobs::got_result(int number, Job& job, int k) {
  State& state = job.got[static_cast<std::size_t>(k)];
  if (state == State::here) return;
  state = State::here;
  --job.missing;
  say_if_whole(number, job);
}

void Jobs::say_if_whole(int number, const Job& job) {
  if (job.target && job.missing == 0) office_.tell_dealer({Control::whole, office_.view(), number, 0, {}});
}

// --- the end of a job

void Jobs::finish(int number, const Outcome& outcome) {
  const auto found = jobs_.find(number);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  std::erase_if(transfers_, [&, this](const auto& one) {
    if (one.second.job != number) return false;
    wire_.forget(one.first);
    return true;
  });
  if (outcome.root != none && job.target && job.missing == 0) results_[number] = job.whole;
  outcomes_[number] = outcome;
  jobs_.erase(found);
  office_.progressed();
}

Memory Jobs::take_result(int job) {
  const auto found = results_.find(job);
  if (found == results_.end()) return nullptr;
  Memory result = std::move(found->second);
  results_.erase(found);
  return result;
}

std::int64_t Jobs::held_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [number, job] : jobs_) {
    const std::int64_t element = job.spec.arithmetic->element_bytes();
    if (job.target) bytes += job.spec.terms.count * element;
    for (const auto& [k, block] : job.blocks) {
      const auto pieces =
          std::count_if(block.piece.begin(), block.piece.end(), [](const Memory& m) { return m; });
      bytes += job.plan.count(k) * element * (pieces - 1 + (block.sum ? 1 : 0));
    }
  }
  return bytes;
}

}  // namespace reduce
