#include "random_schedule.h"

#include <vector>

namespace emu::app::schedules {

std::string random_schedule(reference::Random& random, int ranks, std::int64_t eager_limit,
                            std::int64_t unit) {
  std::vector<std::vector<std::string>> operations(static_cast<std::size_t>(ranks));
  const auto of = [&](int rank) -> std::vector<std::string>& {
    return operations[static_cast<std::size_t>(rank)];
  };
  const int messages = random.between(1, 12 * ranks), tags = random.between(1, 3);
  // Few sizes and computations, so that many actions take equal times.
  const std::vector<std::int64_t> sizes = {0, 1, 8, eager_limit, eager_limit + 1, 2 * eager_limit + 7};
  for (int i = 0; i < messages; ++i) {
    const int from = random.below(ranks), to = random.below(ranks);
    const std::int64_t bytes = random.pick(sizes), room = bytes + (random.chance(20) ? random.below(100) : 0);
    const std::string tag = " tag " + std::to_string(random.below(tags));
    of(from).push_back("send " + std::to_string(bytes) + "b to " + std::to_string(to) + tag);
    of(to).push_back("recv " + std::to_string(room) + "b from " + std::to_string(from) + tag);
    if (random.chance(30))
      of(random.below(ranks)).push_back("calc " + std::to_string(unit * random.below(4)));
  }
  std::string text = "num_ranks " + std::to_string(ranks) + "\n";
  // All operations one after another; or each waits for some preceding ones, often, seldom or never.
  const int style = random.below(4);
  for (int rank = 0; rank < ranks; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    const int count = static_cast<int>(of(rank).size());
    std::vector<int> order(
        static_cast<std::size_t>(count));  // operations wait for preceding ones in this order
    for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
    if (style > 0 && random.chance(30)) random.shuffle(order);
    for (int i = 0; i < count; ++i)
      text += "l" + std::to_string(i) + ": " + of(rank)[static_cast<std::size_t>(i)] + "\n";
    for (int i = 1; i < count; ++i) {
      const auto label = [&](int place) {
        return "l" + std::to_string(order[static_cast<std::size_t>(place)]);
      };
      if (style == 0) text += label(i) + " requires " + label(i - 1) + "\n";
      for (int more = random.below(3); style > 0 && more > 0; --more)
        if (random.chance(12 * style))
          text +=
              label(i) + (random.chance(60) ? " requires " : " irequires ") + label(random.below(i)) + "\n";
    }
    text += "}\n";
  }
  return text;
}

std::string long_schedule(reference::Random& random, int ranks, std::int64_t eager_limit, std::int64_t unit) {
  std::vector<std::vector<std::string>> operations(static_cast<std::size_t>(ranks));
  const auto add = [&](int rank, const std::string& operation) {
    operations[static_cast<std::size_t>(rank)].push_back(operation);
  };
  const std::vector<std::int64_t> sizes = {0, eager_limit / 2, eager_limit, eager_limit + 1};
  for (int i = 0; i < 400 * ranks; ++i) {
    const int from = random.below(ranks), to = random.below(ranks);
    if (from == to) continue;
    const std::string size = std::to_string(random.pick(sizes)),
                      tag = " tag " + std::to_string(random.below(2));
    add(from, "send " + size + "b to " + std::to_string(to) + tag);
    add(to, "recv " + size + "b from " + std::to_string(from) + tag);
    if (random.chance(20)) add(to, "calc " + std::to_string(unit * random.below(4)));
  }
  const int far = random.between(1, 12);
  // Otherwise messages overtake each other, and most schedules end in a deadlock.
  const bool in_order = random.chance(75);
  std::string text = "num_ranks " + std::to_string(ranks) + "\n";
  for (int rank = 0; rank < ranks; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    int i = 0;
    for (const std::string& operation : operations[static_cast<std::size_t>(rank)]) {
      const std::string label = "l" + std::to_string(i);
      text += label + ": " + operation + "\n";
      const auto wait = [&](const char* how, int before) {
        if (before <= i) text += label + how + "l" + std::to_string(i - before) + "\n";
      };
      wait(" requires ", far);
      if (in_order) wait(" irequires ", 1);
      if (random.chance(30)) wait(random.chance(50) ? " requires " : " irequires ", random.between(1, far));
      ++i;
    }
    text += "}\n";
  }
  return text;
}

}  // namespace emu::app::schedules
