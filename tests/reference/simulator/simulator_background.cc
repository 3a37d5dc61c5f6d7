// Collectives in the background, and combined sends and receives: libemu/rank/semantics.md, "Collectives in the
// background" and "isendrecv".
#include <algorithm>

#include "reference/simulator/simulator.h"

namespace emu::reference {
namespace {

// Tag of the first background collective of a communicator, above the tags of blocking ones.
constexpr int first_tag = 1000;

}  // namespace

// A persistent collective has one tag, however often it is started.
int Simulator::background_tag(int rank) {
  const int again = operation(rank).again;
  return again >= 0 ? ranks_[static_cast<std::size_t>(rank)].tags[static_cast<std::size_t>(again)]
                    : first_tag + communicator(rank).background++;
}

void Simulator::launch(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Communicator& c = communicator(rank);
  const bool exchange = operation(rank).action == Action::isend_receive;
  ++(exchange ? coverage_.exchanged : coverage_.in_background);
  const int tag = exchange ? 0 : background_tag(rank);
  const int request = static_cast<int>(r.requests.size());
  r.requests.push_back(
      {.slot = step.slot, .persistent = operation(rank).persistent, .context = c.members.context});
  r.slots[static_cast<std::size_t>(step.slot)] = request;
  r.tags[static_cast<std::size_t>(step.slot)] = tag;
  r.background.push_back(
      {.request = request,
       .exchange = exchange,
       .steps = exchange ? exchange_steps(resolved(rank), c.members)
                         : collective_steps(resolved(rank), c.members, nodes_of(c.members), tag),
       .group = exchange ? std::vector<int>() : c.members.world});
  advance(rank, static_cast<int>(r.background.size()) - 1);
}

void Simulator::tell_edges(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int request = static_cast<int>(r.requests.size());
  r.requests.push_back({.context = step.context});
  r.telling.push_back(request);
  std::deque<Step> steps = {{.kind = Step::Kind::begin}};
  for (const Outgoing& out : step.told)
    steps.push_back({.kind = Step::Kind::send, .context = step.context, .out = out});
  steps.push_back({.kind = Step::Kind::wait});
  r.background.push_back({.request = request, .steps = steps, .group = communicator(rank).members.world});
  advance(rank, static_cast<int>(r.background.size()) - 1);
}

void Simulator::advance_part(int rank, int request) {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int background = r.requests[static_cast<std::size_t>(request)].part_of;
  if (background < 0) return;
  const Requests set = wanted(rank);
  const Background& whole = r.background[static_cast<std::size_t>(background)];
  coverage_.beside += !whole.exchange && std::find(set.begin(), set.end(), whole.request) == set.end();
  advance(rank, background);
}

void Simulator::advance(int rank, int background) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Background& b = r.background[static_cast<std::size_t>(background)];
  while (!r.failed && !b.steps.empty()) {
    const Step step = b.steps.front();
    const bool waits = step.kind == Step::Kind::wait;
    if (waits && !b.entry) b.entry = r.clock;
    if (waits && !std::all_of(b.started.begin(), b.started.end(), [&](int request) {
          return r.requests[static_cast<std::size_t>(request)].complete;
        }))
      return;
    b.steps.pop_front();
    if (waits) end_background_wait(rank, background);
    if (step.kind == Step::Kind::begin && broken_by_now(rank, b.group)) {
      ++coverage_.broken_at_once;
      break_background(rank, background);
    }
    if (step.kind == Step::Kind::memory || step.kind == Step::Kind::copy || step.kind == Step::Kind::combine)
      work(rank, step);
    if (step.kind != Step::Kind::send && step.kind != Step::Kind::post) continue;
    const int request = step.kind == Step::Kind::send ? start_send(rank, step) : post(rank, step);
    r.requests[static_cast<std::size_t>(request)].part_of = background;
    b.started.push_back(request);
    // The request gets the status of the receive.
    if (b.exchange && step.kind == Step::Kind::post)
      r.requests[static_cast<std::size_t>(b.request)].posted =
          r.requests[static_cast<std::size_t>(request)].posted;
  }
  if (!b.steps.empty()) return;
  Request& whole = r.requests[static_cast<std::size_t>(b.request)];
  whole.complete = true;
  whole.doubt = false;
}

// A failure of a part ends a collective. A send and a receive with one request have failed if either has.
void Simulator::end_background_wait(int rank, int background) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Background& b = r.background[static_cast<std::size_t>(background)];
  b.entry.reset();
  const bool failed = std::any_of(b.started.begin(), b.started.end(), [&](int request) {
    return r.requests[static_cast<std::size_t>(request)].failed;
  });
  if (failed) return break_background(rank, background);
  b.started.clear();
}

void Simulator::break_background(int rank, int background) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Background& b = r.background[static_cast<std::size_t>(background)];
  for (int request : b.started) forget(rank, request);
  b.started.clear();
  b.steps.clear();
  b.entry.reset();
  Request& whole = r.requests[static_cast<std::size_t>(b.request)];
  whole.complete = whole.failed = true;
  whole.doubt = false;
}

}  // namespace emu::reference
