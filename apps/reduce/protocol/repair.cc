// The repair by the dealer after a failure, when all live ranks have answered with their censuses.
#include <algorithm>

#include "reduce/protocol/dealer.h"

namespace reduce {
namespace {

const Census::Block* block_of(const Census::Job& job, int k) {
  const auto found = std::find_if(job.blocks.begin(), job.blocks.end(),
                                  [k](const auto& block) { return block.number == k; });
  return found == job.blocks.end() ? nullptr : &*found;
}

State piece_of(const Census::Job& job, int k, int input) {
  const Census::Block* const block = block_of(job, k);
  if (!block) return State::absent;
  const auto found = block->pieces.find(input);
  return found == block->pieces.end() ? State::absent : found->second;
}

State result_of(const Census::Job& job, int k) {
  const Census::Block* const block = block_of(job, k);
  return block ? block->result : State::absent;
}

}  // namespace

void Dealer::resume() {
  counting_ = false;
  std::set<int> planned;
  for (const auto& [rank, census] : censuses_) {
    // The rank may have reported more since its census.
    int& upto = upto_[static_cast<std::size_t>(rank)];
    upto = std::max(upto, census.upto);
    speeds_[static_cast<std::size_t>(rank)] = census.speed;
    if (census.bye) left_.insert(rank);
    for (const auto& [job, outcome] : census.outcomes) next_ = std::max(next_, job + 1);
    for (const Census::Job& job : census.jobs)
      if (!job.plan.empty()) planned.insert(job.number);
  }
  spread_outcomes();
  for (int job : planned) {
    next_ = std::max(next_, job + 1);
    const bool over = std::any_of(censuses_.begin(), censuses_.end(),
                                  [&](const auto& one) { return one.second.outcomes.contains(job); });
    if (!over) repair(job);
  }
  deal_ready();
  end_if_all_left();
}

// A job that is over for one rank is over for all: the previous dealer may not have told all of them.
void Dealer::spread_outcomes() {
  std::map<int, Outcome> outcomes;
  for (const auto& [rank, census] : censuses_)
    outcomes.insert(census.outcomes.begin(), census.outcomes.end());
  for (const auto& [number, outcome] : outcomes) {
    const bool open = std::any_of(censuses_.begin(), censuses_.end(), [&, job = number](const auto& one) {
      const auto& jobs = one.second.jobs;
      return std::any_of(jobs.begin(), jobs.end(), [&](const auto& each) { return each.number == job; });
    });
    if (open) finish(number, outcome);
  }
}

// Sends the plan to the ranks that do not have it, and assumes that they hold the data that the plan gives them.
Dealer::Found Dealer::found(int job) {
  Found found;
  std::vector<std::int32_t> words;
  for (const auto& [rank, census] : censuses_)
    for (const Census::Job& each : census.jobs)
      if (each.number == job && !each.plan.empty()) {
        found.at[rank] = each;
        words = each.plan;
      }
  found.plan =
      Plan(words[0], words[1], {words.begin() + 2, words.end()}, office_.terms(job).count, settings_.copies);
  for (int rank = 0; rank < settings_.ranks; ++rank) {
    if (!lives(rank) || found.at.contains(rank)) continue;
    office_.tell(rank, {Control::plan, 0, job, 0, words});
    found.at[rank] = supposed(job, rank, found.plan);
  }
  return found;
}

// The census of a rank after it has received the plan.
Census::Job Dealer::supposed(int job, int rank, const Plan& plan) const {
  std::map<int, Census::Block> blocks;
  for (int k : plan.blocks_at(rank)) {
    if (!plan.active(k)) continue;
    blocks[k].combining = k == rank;
    for (int i = 0; i < settings_.ranks; ++i) {
      if (i == rank || !lives(i) || !plan.has_input(i)) continue;
      const std::vector<int> places = plan.places(i, k);
      if (std::find(places.begin(), places.end(), rank) != places.end()) blocks[k].pieces[i] = State::coming;
    }
  }
  const bool target = rank == plan.root || rank == plan.heir;
  for (int k = 0; target && k < settings_.ranks; ++k)
    if (plan.active(k) && lives(k) && k != rank) blocks[k].result = State::coming;
  Census::Job supposed{job, target, {}, {}};
  for (auto& [k, block] : blocks) {
    block.number = k;
    supposed.blocks.push_back(std::move(block));
  }
  return supposed;
}

// A live rank that has this piece for sure.
int Dealer::holder(const Found& found, int k, int input) const {
  if (lives(input)) return input;
  for (const auto& [rank, job] : found.at)
    if (piece_of(job, k, input) == State::here) return rank;
  return none;
}

void Dealer::repair(int job) {
  const Found found = this->found(job);
  Repair repair{job, {}, {}, {}};
  for (int k = 0; k < settings_.ranks; ++k)
    if (found.plan.active(k)) repair_block(found, k, repair);
  if (!repair.lost.empty()) return finish(job, {none, none, {repair.lost.begin(), repair.lost.end()}, {}});
  for (auto& [where, order] : repair.fetches) office_.tell(where.second, std::move(order));
  Open& open = open_[job];
  target(open, office_.terms(job));
  for (int i = 0; i < settings_.ranks; ++i)
    if (!found.plan.has_input(i)) open.left_out.push_back(i);
  for (int to : {open.root, open.heir})
    if (to != none) gather(found, to, repair);
}

// Finds the maker of the result of block k, unless a rank has it, and orders the pieces that the maker lacks.
void Dealer::repair_block(const Found& found, int k, Repair& repair) const {
  int maker = none;
  for (const auto& [rank, job] : found.at) {
    if (result_of(job, k) == State::here) {
      repair.makers[k] = rank;
      return;
    }
    if (const Census::Block* const block = block_of(job, k); block && block->combining) maker = rank;
  }
  const bool another = maker == none;
  for (int step = 1; maker == none; ++step)
    if (const int rank = found.plan.behind(k, step); lives(rank)) maker = rank;
  repair.makers[k] = maker;
  Control order{Control::fetch, 0, repair.job, 0, {k, 1}};
  for (int i = 0; i < settings_.ranks; ++i) {
    if (!found.plan.has_input(i) || i == maker) continue;
    const State state = piece_of(found.at.at(maker), k, i);
    if (state == State::absent) {
      const int from = holder(found, k, i);
      if (from == none) repair.lost.insert(i);
      order.list.insert(order.list.end(), {i, from});
    } else if (state == State::here && !lives(i)) {
      copy_again(found, k, i, maker, repair);
    }
  }
  if (another || order.list.size() > 2) repair.fetches[{k, maker}] = std::move(order);
}

// If the maker has the only copy of a piece of a failed rank, orders another copy.
void Dealer::copy_again(const Found& found, int k, int input, int maker, Repair& repair) const {
  if (settings_.copies < 2) return;
  for (const auto& [rank, job] : found.at)
    if (rank != maker && piece_of(job, k, input) != State::absent) return;
  for (int step = 1; step < found.plan.inputs(); ++step) {
    const int rank = found.plan.behind(maker, step);
    if (!lives(rank) || rank == maker) continue;
    Control& order = repair.fetches.try_emplace({k, rank}, Control{Control::fetch, 0, repair.job, 0, {k, 0}})
                         .first->second;
    order.list.insert(order.list.end(), {input, maker});
    return;
  }
}

// Also sent to a target that has everything, which then tells this dealer so.
void Dealer::gather(const Found& found, int target, const Repair& repair) {
  Control order{Control::gather, 0, repair.job, 0, {}};
  for (const auto& [k, maker] : repair.makers)
    if (maker != target && result_of(found.at.at(target), k) == State::absent)
      order.list.insert(order.list.end(), {k, maker});
  office_.tell(target, std::move(order));
}

}  // namespace reduce
