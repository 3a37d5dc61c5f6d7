// Communicators of one rank of a skeleton, and the blocking collective operations on them: the messages of libemu's own
// entry points (libemu/collective/collectives.cc, libemu/comm/creation_messages.cc), without contents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "fibers/fiber_run.h"
#include "model/node_groups.h"
#include "model/schedule.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Contexts of the communicators of all ranks. All members of a new communicator ask with equal arguments.
class Contexts {
 public:
  match::Context of(match::Context parent, std::int64_t number, std::int32_t colour) {
    const auto [found, made] = names_.try_emplace({parent, number, colour}, next_);
    if (made) next_ += 2;
    return found->second;
  }

 private:
  std::map<std::tuple<match::Context, std::int64_t, std::int32_t>, match::Context> names_;
  match::Context next_ = 6;
};

class Communicators {
 public:
  // The arguments outlive the object.
  Communicators(const app::fibers::Self& self, const app::fibers::FiberRun& run, Contexts& contexts);

  // The communicator `number`, for point-to-point calls.
  rank::Communicator& of(std::int32_t number);
  void split(const Step& step, const Call& call);
  void free(std::int32_t number) { made_.erase(number); }
  void collective(const Step& step, const Call& call, std::int32_t unit);
  void gather(std::int32_t number, model::Bytes block);  // to rank 0

 private:
  struct Made {
    rank::Communicator own;
    rank::Communicator steps;  // equal members, for the messages of collectives
    std::int64_t splits = 0;
    std::unique_ptr<model::NodeGroups> groups;
  };

  Made& made(std::int32_t number);
  Made make(match::Context context, int own, rank::Members members) const;
  model::Schedule schedule(Made& on, const Step& step, const Call& call, std::int32_t unit);
  model::Schedule of_lists(Made& on, const Step& step, const Call& call, std::int32_t unit);
  const model::NodeGroups* by_nodes(Made& on, const model::AlgorithmQuery& asked, model::Algorithm as);
  void run(Made& on, const model::Schedule& schedule);

  const app::fibers::Self& self_;
  rank::Rank& rank_;
  const app::fibers::FiberRun& run_;
  Contexts& contexts_;
  std::map<std::int32_t, Made> made_;
  std::vector<rank::Request*> started_;
};

}  // namespace emu::skeleton
