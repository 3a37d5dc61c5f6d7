// Groups of neighbouring ranks, each with a master, and the share of the tasks of each master.
#pragma once

#include <cstdint>

#include "dealer.h"

namespace strategies {

// Assignment of tasks, with several masters from the start.
enum class Dealing {
  scattered,  // task i belongs to master (i mod masters); neighbouring tasks are dealt at different times
  cyclic,     // as scattered, but dealt in the order of the tasks
  block,      // each master has an equal number of neighbouring tasks
};

// The beginning of part number `part`, if `total` things are cut into `parts` parts as equal as possible.
inline int begin_of(std::int64_t total, int parts, int part) {
  return static_cast<int>(total * part / parts);
}

// The group of a rank.
inline int group_of(int rank, int ranks, int groups) {
  int group = static_cast<int>(static_cast<std::int64_t>(rank) * groups / ranks);
  while (group + 1 < groups && begin_of(ranks, groups, group + 1) <= rank) ++group;
  return group;
}

// The share of the master of group `group`, out of `masters`, if `all` is cut into tasks of `task_items`.
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
