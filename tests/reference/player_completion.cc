// The player's completion calls.
#include <algorithm>

#include "reference/player.h"

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
    check(requests[static_cast<std::size_t>(place)] == MPI_REQUEST_NULL, "a completed request is not null");
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    pending_[static_cast<std::size_t>(o.slots[i])].request = requests[i];
  }
}

bool Player::complete_once(const Operation& o, std::vector<MPI_Request>& requests) {
  const int n = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  const std::vector<MPI_Request> before = requests;
  int flag = 1, index = 0, count = 0;
  const auto all = [&] {
    for (int i = 0; i < n; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (before[place] != MPI_REQUEST_NULL) completed(o.slots[place], statuses[place]);
    }
  };
  const auto some = [&] {
    if (count == MPI_UNDEFINED) return;
    // The order in which they are returned says nothing.
    std::vector<int> order;
    for (int i = 0; i < count; ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return indices[static_cast<std::size_t>(a)] < indices[static_cast<std::size_t>(b)];
    });
    for (int i : order) {
      completed(o.slots[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])],
                statuses[static_cast<std::size_t>(i)]);
    }
  };
  switch (o.action) {
    case Action::wait:
      MPI_Wait(requests.data(), statuses.data());
      break;
    case Action::test:
      MPI_Test(requests.data(), &flag, statuses.data());
      break;
    case Action::wait_all:
      MPI_Waitall(n, requests.data(), statuses.data());
      break;
    case Action::test_all:
      MPI_Testall(n, requests.data(), &flag, statuses.data());
      break;
    case Action::wait_any:
      MPI_Waitany(n, requests.data(), &index, statuses.data());
      break;
    case Action::test_any:
      MPI_Testany(n, requests.data(), &index, &flag, statuses.data());
      break;
    case Action::wait_some:
      MPI_Waitsome(n, requests.data(), &count, indices.data(), statuses.data());
      break;
    case Action::test_some:
      MPI_Testsome(n, requests.data(), &count, indices.data(), statuses.data());
      flag = count != 0;  // undefined, where all are null, counts as true
      break;
    default:
      break;
  }
  if (!flag) return false;
  const bool any = o.action == Action::wait_any || o.action == Action::test_any;
  if (any && index != MPI_UNDEFINED) completed(o.slots[static_cast<std::size_t>(index)], statuses[0]);
  if (o.action == Action::wait_some || o.action == Action::test_some)
    some();
  else if (!any)
    all();
  return true;
}

}  // namespace emu::reference
