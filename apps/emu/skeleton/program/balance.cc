#include "skeleton/program/balance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace emu::skeleton {
namespace {

// Identity of a rank in its communicators.
struct Member {
  std::int64_t group = 0;  // equal for all members, and different for other communicators
  std::int32_t rank = 0;
};

// Group, sender, receiver, tag.
using Channel = std::tuple<std::int64_t, std::int32_t, std::int32_t, std::int32_t>;

// Numbers of executions of sends and receives of each channel.
class Balance {
 public:
  Balance(const Skeleton& skeleton, const Scaling& scaling)
      : scaling_(scaling), members_(static_cast<std::size_t>(skeleton.ranks)) {
    for (std::size_t rank = 0; rank < members_.size(); ++rank)
      members_[rank] = {{world, {0, static_cast<std::int32_t>(rank)}},
                        {self, {-1 - static_cast<std::int64_t>(rank), 0}}};
    look_through(skeleton.nodes, 1);
  }

  bool even_where_counts_vary() const {
    return std::all_of(varying_.begin(), varying_.end(), [this](const auto& each) {
      const auto& [group, from, to, tag] = each.first.second;
      return open_.contains({group, to}) || each.second.even();
    });
  }

  // Scaled loops with channels whose sends and receives differ in number.
  std::set<const Node*> wrong() const {
    std::set<const Node*> result;
    for (const auto& [channel, ends] : channels_) {
      if (open_.contains({std::get<0>(channel), std::get<2>(channel)})) continue;
      if (!ends.even()) result.insert(ends.loops.begin(), ends.loops.end());
    }
    return result;
  }

 private:
  struct Ends {
    double sent = 0, received = 0;
    std::set<const Node*> loops;
    bool even() const { return std::abs(sent - received) <= 1e-6 * std::max(sent, received); }
  };

  void look_through(const std::vector<Node>& nodes, double times) {
    for (const Node& node : nodes) {
      if (!node.is_loop()) {
        look_at(node.step, times);
        continue;
      }
      const auto scale = scaling_.loops.find(&node);
      const bool scaled = scale != scaling_.loops.end();
      if (scaled) around_.push_back(&node);
      if (node.varies) varying_around_.push_back(&node);
      look_through(node.body, times * (scaled ? static_cast<double>(scale->second.first + scale->second.rest)
                                              : node.times));
      if (scaled) around_.pop_back();
      if (node.varies) varying_around_.pop_back();
    }
  }

  void look_at(const Step& step, double times) {
    for (std::size_t rank = 0; rank < step.calls.size(); ++rank) {
      const Call& call = step.calls[rank];
      if (call.function == Function::communicator)
        members_[rank][call.slot] = {(std::int64_t{call.slot} << 32) + call.peer, call.tag};
      const Member me = members_[rank][call.comm];
      if (sends(call.function) && call.peer >= 0) count({me.group, me.rank, call.peer, call.tag}, times, 0);
      const bool both = call.function == Function::sendrecv;
      if (!receives(call.function) && !both) continue;
      const std::int32_t from = both ? call.source : call.peer, tag = both ? call.source_tag : call.tag;
      if (from == any || tag == any) open_.insert({me.group, me.rank});
      if (from >= 0 && tag >= 0) count({me.group, from, me.rank, tag}, 0, times);
    }
  }

  void count(const Channel& channel, double sent, double received) {
    Ends& ends = channels_[channel];
    ends.sent += sent;
    ends.received += received;
    ends.loops.insert(around_.begin(), around_.end());
    for (const Node* loop : varying_around_) {
      Ends& inside = varying_[{loop, channel}];
      inside.sent += sent;
      inside.received += received;
    }
  }

  const Scaling& scaling_;
  std::vector<std::map<std::int32_t, Member>> members_;
  std::map<Channel, Ends> channels_;
  std::set<std::pair<std::int64_t, std::int32_t>> open_;  // receivers from any source, or with any tag
  std::vector<const Node*> around_, varying_around_;
  std::map<std::pair<const Node*, Channel>, Ends> varying_;  // inside loops with varying counts
};

}  // namespace

std::set<const Node*> unbalanced(const Skeleton& skeleton, const Scaling& scaling) {
  return Balance(skeleton, scaling).wrong();
}

bool even_where_counts_vary(const Skeleton& skeleton) {
  const Scaling nothing;
  return Balance(skeleton, nothing).even_where_counts_vary();
}

}  // namespace emu::skeleton
