// A target: the cluster to predict, as its TOML file describes it (config/README.md lists every key).
// Only this folder knows the keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "model/algorithms.h"
#include "model/interconnect.h"
#include "model/network.h"
#include "model/outages.h"
#include "model/share.h"
#include "model/speed.h"
#include "model/storage.h"

namespace emu::target {

enum class Compute {
  measured,  // CPU time of the thread, scaled; emu_compute replaces it
  declared,  // only work declared by emu_compute counts
};

// Effect of a node's failure for good on other ranks.
enum class OnFailure {
  silent,  // none: awaited messages do not come
  error,   // operations that name a failed rank end with MPIX_ERR_PROC_FAILED
  abort,   // the job ends
};

// Result of emu_scatter_counts.
enum class Scatter {
  balanced,  // parts with which all ranks finish as early as possible
  uniform,   // equal parts
};

struct NodeGroup {
  int count = 1;                  // nodes
  int slots = 1;                  // ranks each can hold
  double speed = 1.0;             // CPU speed relative to the reference CPU
  std::string name;               // name in links and events; may be empty
  std::optional<int> cores = {};  // cores for the threads of each rank; none: as many as threads
  // The part of `speed` that each rank has, with 1, 2, ... ranks of the job on the node: billionths, as many as slots;
  // empty: all of it.
  std::vector<std::int64_t> speed_with = {};
  double spread = 0;          // relative standard deviation of the nodes' speeds
  model::Jitter jitter = {};  // variation of the work on them; its seed is also the seed of the speeds
};

// Node of each rank.
struct Placement {
  enum class Policy {
    block,   // ranks fill the slots of a node, then those of the next
    cyclic,  // one rank to each node in turn, as long as it has slots left
    list,    // as listed in `nodes`
  };
  Policy policy = Policy::block;
  std::vector<int> nodes;  // of each rank
  std::uint32_t line = 0;  // line of the list in the file
};

// Change of speeds, for display of the target.
struct SpeedChange {
  struct Event {
    std::int64_t factor;  // billionths
  };
  struct Availability {
    std::string file;  // by its name in the target file
  };
  struct Load {
    std::int64_t mean;  // millionths
    Interval period;
  };
  Instant from, until;
  std::variant<Event, Availability, Load> what;
  std::vector<int> nodes;  // in ascending order
};

// Nodes are numbered from 0 in the order of the file.
struct Target {
  std::string name;
  Compute compute = Compute::measured;
  double host_speed = 1.0;  // speed of this host's CPU relative to the reference CPU
  model::Parameters network;
  std::vector<NodeGroup> nodes;
  Placement placement;
  std::vector<model::Link> between;  // as in model::Topology, for the groups in `nodes`
  std::vector<model::Link> inside;
  // The links between the nodes; null: messages share no links.
  std::shared_ptr<const model::Interconnect> interconnect;
  std::map<int, model::Speed> speeds;      // of nodes with changing speeds
  std::vector<SpeedChange> speed_changes;  // changes in the file, except failures
  std::map<int, model::Outages> outages;   // of nodes that have any
  OnFailure on_failure = OnFailure::silent;
  Scatter scatter = Scatter::balanced;
  model::Algorithms algorithms;  // of collective operations
  model::Storage storage;
  // Half-widths of the values with an interval ("50us +- 0.6us"),
  // by key; in seconds, seconds per byte, and relative for speeds.
  std::map<std::string, double> uncertainties;
  std::uint32_t nodes_line = 0;  // line of the first [[node]]

  int slots() const;          // number of ranks that fit; with a list: its length
  int node_count() const;     // of all groups
  bool shares_nodes() const;  // some node holds several ranks
  int group_of(int node) const;
  // The node of each of the first `ranks` ranks; 0 < ranks <= slots().
  std::vector<int> place(int ranks) const;
  model::Places places(int ranks) const;  // as place(), with the groups
  model::Topology topology(int ranks) const;
  model::Outages outages_of(int node) const;
  // The instant at which the node of each of the first `ranks` ranks fails for good; empty if no node does.
  std::vector<Instant> failures(int ranks) const;
  // Nodes of the first `ranks` ranks that stop for ever without failing, by the instant from which they do nothing.
  std::map<Instant, std::vector<int>> stopped_nodes(int ranks) const;
  // Number of the first `ranks` ranks that are on `node`.
  int ranks_on(int node, int ranks) const;
  // Speed of the CPU of `node` for each of the first `ranks` ranks on it, with all changes.
  model::Speed speed(int node, int ranks) const;
  model::Speed usual_speed(int node, int ranks) const;  // without changes
  double nominal_speed(int node, int ranks) const;      // also without spread and jitter
  model::Speed undivided_speed(int node) const;         // the usual speed, without NodeGroup::speed_with
};

// Texts of a target file and of the files that it names.
struct Sources {
  std::string text;
  std::map<std::string, std::string> files;  // by the name in the target file
};
// Reads a file that a target file names.
using ReadFile = std::function<Result<std::string>(const std::string& name)>;

// Reads and checks a target file. Failures contain file, line, key and a correct example. `sources`, if
// given, receives all texts. Names in the file are relative to its folder.
Result<Target> load(const std::string& path, Sources* sources = nullptr);
// As load(), from text; `origin` is the file's name in messages.
Result<Target> parse(const std::string& text, const std::string& origin, const ReadFile& read);
Result<Target> parse(const std::string& text, const std::string& origin);  // it names no files
Result<Target> parse(const Sources& sources, const std::string& origin);
// network.medium in words: "a switch".
std::string medium_in_words(const model::Parameters& network);
// Failure if `ranks` do not fit into the slots, or ranks < 1. `origin`: the name of the file.
Result<void> fits(const Target& target, int ranks, const std::string& origin);

}  // namespace emu::target
