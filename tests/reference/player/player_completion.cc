// The player's completion calls.
#include <algorithm>

#include "reference/player/player.h"

namespace emu::reference {

void Player::complete(const Operation& o) {
  std::vector<MPI_Request> requests;
  for (int slot : o.slots) requests.push_back(pending_[static_cast<std::size_t>(slot)].request);
  const std::vector<MPI_Request> before = requests;
  for (;;) {
    outcome_.answer = complete_once(o, requests);
    if (outcome_.answer) break;
    ++outcome_.polls;
    check(requests == before, "a false answer changed a request");
    if (!o.until) break;
  }
  for (const Completion& c : outcome_.completions) {
    const auto place = std::find(o.slots.begin(), o.slots.end(), c.slot) - o.slots.begin();
    MPI_Request& now = requests[static_cast<std::size_t>(place)];
    const Pending& p = pending_[static_cast<std::size_t>(c.slot)];
    const bool stays = c.error == Error::pending || p.in_parts || p.persistent;
    check(stays ? now == before[static_cast<std::size_t>(place)] : now == MPI_REQUEST_NULL,
          "a completed request is not null, or one that stays is");
    if (p.in_parts) MPI_Request_free(&now);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    pending_[static_cast<std::size_t>(o.slots[i])].request = requests[i];
  }
}

namespace {

// The result of a call besides the statuses and indices of its requests.
struct Answer {
  int flag = 1, index = 0, count = 0, code = MPI_SUCCESS;
};

Answer call(Action action, std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
            std::vector<int>& indices) {
  const int n = static_cast<int>(requests.size());
  Answer to;
  switch (action) {
    case Action::wait:
      to.code = MPI_Wait(requests.data(), statuses.data());
      break;
    case Action::test:
      to.code = MPI_Test(requests.data(), &to.flag, statuses.data());
      break;
    case Action::wait_all:
      to.code = MPI_Waitall(n, requests.data(), statuses.data());
      break;
    case Action::test_all:
      to.code = MPI_Testall(n, requests.data(), &to.flag, statuses.data());
      break;
    case Action::wait_any:
      to.code = MPI_Waitany(n, requests.data(), &to.index, statuses.data());
      break;
    case Action::test_any:
      to.code = MPI_Testany(n, requests.data(), &to.index, &to.flag, statuses.data());
      break;
    case Action::wait_some:
      to.code = MPI_Waitsome(n, requests.data(), &to.count, indices.data(), statuses.data());
      break;
    case Action::test_some:
      to.code = MPI_Testsome(n, requests.data(), &to.count, indices.data(), statuses.data());
      to.flag = to.count != 0;  // undefined, where all are null, counts as true
      break;
    default:
      break;
  }
  return to;
}

}  // namespace

bool Player::complete_once(const Operation& o, std::vector<MPI_Request>& requests) {
  const int n = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  // Requests that are null or inactive do not count.
  std::vector<bool> active;
  for (int slot : o.slots) active.push_back(pending_[static_cast<std::size_t>(slot)].active);
  const Answer said = call(o.action, requests, statuses, indices);
  // If several requests are returned, their statuses contain errors if the call's code says so.
  const auto error = [&](std::size_t i) {
    int kind = MPI_SUCCESS;
    MPI_Error_class(said.code, &kind);
    return kind == MPI_ERR_IN_STATUS ? error_of(statuses[i].MPI_ERROR) : Error::none;
  };
  const auto all = [&] {
    for (int i = 0; i < n; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (active[place]) completed(o.slots[place], statuses[place], error(place));
    }
  };
  const auto some = [&] {
    if (said.count == MPI_UNDEFINED) return;
    // The order in which they are returned is arbitrary.
    std::vector<int> order;
    for (int i = 0; i < said.count; ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return indices[static_cast<std::size_t>(a)] < indices[static_cast<std::size_t>(b)];
    });
    for (int i : order) {
      completed(o.slots[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])],
                statuses[static_cast<std::size_t>(i)], error(static_cast<std::size_t>(i)));
    }
  };
  if (!said.flag) return false;
  const bool any = o.action == Action::wait_any || o.action == Action::test_any;
  if (any && said.index != MPI_UNDEFINED)
    completed(o.slots[static_cast<std::size_t>(said.index)], statuses[0], error_of(said.code));
  const bool one = o.action == Action::wait || o.action == Action::test;
  if (one && active[0]) completed(o.slots[0], statuses[0], error_of(said.code));
  if (o.action == Action::wait_some || o.action == Action::test_some)
    some();
  else if (!any && !one)
    all();
  const bool errors = std::any_of(outcome_.completions.begin(), outcome_.completions.end(),
                                  [](const Completion& c) { return c.error != Error::none; });
  check((said.code != MPI_SUCCESS) == errors, "the call's code is not that of its requests");
  return true;
}

void Player::completed(int slot, const MPI_Status& status, Error error) {
  Pending& p = pending_[static_cast<std::size_t>(slot)];
  Completion c;
  p.active = error == Error::pending;
  if (error == Error::none) end_collective(p);
  int cancelled = 0;
  if (error == Error::none) MPI_Test_cancelled(&status, &cancelled);
  if (p.receive && !cancelled && error == Error::none) c = received(p.data.data(), p.communicator, status);
  c.slot = slot;
  c.error = error;
  c.cancelled = cancelled;
  outcome_.completions.push_back(c);
}

}  // namespace emu::reference
