// A target: the cluster that is predicted, as its TOML file describes it (config/README.md lists every key).
// This folder is the only place that knows the keys.
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
  declared,  // only what emu_compute says counts
};

// What other ranks notice of one whose node has failed for good.
enum class OnFailure {
  silent,  // nothing: what they wait for does not come
  error,   // operations that name it end with MPIX_ERR_PROC_FAILED
  abort,   // the job ends
};

// What emu_scatter_counts answers.
enum class Scatter {
  balanced,  // parts with which all is done as early as possible
  uniform,   // equal parts
};

struct NodeGroup {
  int count = 1;                  // nodes
  int slots = 1;                  // ranks each can hold
  double speed = 1.0;             // CPU speed relative to the reference CPU
  std::string name;               // what links and events call it; may be empty
  std::optional<int> cores = {};  // on which the threads of each rank run; none: as many as it has threads
  // What is left of `speed` for each rank, where 1, 2, ... ranks of the job are on the node: billionths, as many as slots;
  // empty: all of it.
  std::vector<std::int64_t> speed_with = {};
  double spread = 0;          // standard deviation of the nodes' speeds, as a share of `speed`
  model::Jitter jitter = {};  // of the work on them; its seed is that of the speeds, too
};

// Which node each rank is on.
struct Placement {
  enum class Policy {
    block,   // ranks fill the slots of a node, then those of the next
    cyclic,  // one rank to each node in turn, as long as it has slots left
    list,    // `nodes` says it
  };
  Policy policy = Policy::block;
  std::vector<int> nodes;  // of each rank
  std::uint32_t line = 0;  // of the file: where the list begins
};

// What changes speeds, for those who look at the target.
struct SpeedChange {
  struct Event {
    std::int64_t factor;  // billionths
  };
  struct Availability {
    std::string file;  // as it is named
  };
  struct Load {
    std::int64_t mean;  // millionths
    Interval period;
  };
  Instant from, until;
  std::variant<Event, Availability, Load> what;
  std::vector<int> nodes;  // in growing order
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
  // The links between the nodes; null: none that messages share.
  std::shared_ptr<const model::Interconnect> interconnect;
  std::map<int, model::Speed> speeds;      // of nodes on which it changes
  std::vector<SpeedChange> speed_changes;  // what the file says of that, failures aside
  std::map<int, model::Outages> outages;   // of nodes that have any
  OnFailure on_failure = OnFailure::silent;
  Scatter scatter = Scatter::balanced;
  model::Algorithms algorithms;  // of collective operations
  model::Storage storage;
  // Of values that the file gives an interval ("50us +- 0.6us"): its half-width, by key; in seconds, seconds per
  // byte, and of speeds as a share.
  std::map<std::string, double> uncertainties;
  std::uint32_t nodes_line = 0;  // of the file: the first [[node]]

  int slots() const;          // how many ranks it can hold; with a list: how many that has
  int node_count() const;     // of all groups
  bool shares_nodes() const;  // some node holds several ranks
  int group_of(int node) const;
  // The node of each of the first `ranks` ranks; 0 < ranks <= slots().
  std::vector<int> place(int ranks) const;
  model::Places places(int ranks) const;  // likewise, with its group
  model::Topology topology(int ranks) const;
  model::Outages outages_of(int node) const;
  // When the node of each of the first `ranks` ranks fails for good; empty if none ever does.
  std::vector<Instant> failures(int ranks) const;
  // Of the nodes of the first `ranks` ranks, those that do nothing any more from some instant on and do not
  // fail: by that instant, in growing order.
  std::map<Instant, std::vector<int>> standstills(int ranks) const;
  // How many of the first `ranks` ranks are on `node`.
  int ranks_on(int node, int ranks) const;
  // Of the CPU of `node` for each of the first `ranks` ranks that is on it, with all that changes it.
  model::Speed speed(int node, int ranks) const;
  model::Speed usual_speed(int node, int ranks) const;  // without
  double nominal_speed(int node, int ranks) const;      // without spread and jitter either
  model::Speed undivided_speed(int node) const;         // the usual one, without NodeGroup::speed_with
};

// A target file and the files that it names, as text.
struct Sources {
  std::string text;
  std::map<std::string, std::string> files;  // by the name that the target file has for them
};
// The text of a file that a target file names.
using ReadFile = std::function<Result<std::string>(const std::string& name)>;

// Reads and checks a target file. The failure names file, line, key and what would be right. `sources`, if
// given, gets all that was read. Names in the file are relative to its folder.
Result<Target> load(const std::string& path, Sources* sources = nullptr);
// The same from text; `origin` stands for the file's name in messages.
Result<Target> parse(const std::string& text, const std::string& origin, const ReadFile& read);
Result<Target> parse(const std::string& text, const std::string& origin);  // it names no files
Result<Target> parse(const Sources& sources, const std::string& origin);
// network.medium in words: "a switch".
std::string medium_in_words(const model::Parameters& network);
// Failure if `ranks` do not fit into the slots, or ranks < 1. `origin`: the name of the file.
Result<void> fits(const Target& target, int ranks, const std::string& origin);

}  // namespace emu::target
