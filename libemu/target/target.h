// A target: the cluster that is predicted, as its TOML file describes it (config/README.md lists every key).
// This folder is the only place that knows the keys.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "model/network.h"

namespace emu::target {

enum class Compute {
  measured,  // CPU time of the thread, scaled; emu_compute replaces it
  declared,  // only what emu_compute says counts
};

struct NodeGroup {
  int count = 1;       // nodes
  int slots = 1;       // ranks each can hold
  double speed = 1.0;  // CPU speed relative to the reference CPU
};

struct Target {
  std::string name;
  Compute compute = Compute::measured;
  double host_speed = 1.0;  // speed of this host's CPU relative to the reference CPU
  model::Parameters network;
  std::vector<NodeGroup> nodes;

  int slots() const;
  // Speed of the CPU that `rank` runs on. Ranks fill the slots of the nodes in file order (block placement).
  // 0 <= rank < slots().
  double speed_of(int rank) const;
};

// Reads and checks a target file. The failure names file, line, key and what would be right.
Result<Target> load(const std::string& path);
// The same from text; `origin` stands for the file's name in messages.
Result<Target> parse(const std::string& text, const std::string& origin);
// Failure if `ranks` do not fit into the slots, or ranks < 1.
Result<void> fits(const Target& target, int ranks, const std::string& origin);

}  // namespace emu::target
