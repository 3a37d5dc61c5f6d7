// Groups of neighbouring ranks, each with a master, and the share of the tasks that is each master's.
#pragma once

#include <cstdint>

#include "dealer.h"

namespace strategies {

// Which tasks are whose, with several masters from the start.
enum class Dealing {
  scattered,  // task i is master (i mod masters)'s; tasks that lie together are dealt at different times
  cyclic,     // the same, but in the order of the tasks
  block,      // equally many tasks that lie together
};

// `total` things in `parts` parts, as equal as they can be: where part number `part` begins.
inline int begin_of(std::int64_t total, int parts, int part) {
  return static_cast<int>(total * part / parts);
}

// The group that a rank belongs to.
inline int group_of(int rank, int ranks, int groups) {
  int group = static_cast<int>(static_cast<std::int64_t>(rank) * groups / ranks);
  while (group + 1 < groups && begin_of(ranks, groups, group + 1) <= rank) ++group;
  return group;
}

// Of `all` in tasks of `task_items`: those of the master of group number `group`, of `masters`.
inline Share share_of(int group, int masters, Dealing dealing, std::int32_t task_items, Range all) {
  Share share = whole(all, task_items);
  const std::int32_t tasks = share.end;
  if (dealing != Dealing::block) {
    share.first = group;
    share.step = masters;
    if (dealing == Dealing::scattered) share.stride = scattering_stride(tasks);
  } else {
    share.first = begin_of(tasks, masters, group);
    share.end = begin_of(tasks, masters, group + 1);
  }
  return share;
}

}  // namespace strategies
