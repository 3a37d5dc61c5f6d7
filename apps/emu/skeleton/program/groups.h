// Members of a skeleton's communicators.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

struct Group {
  std::vector<int> members;  // ranks of the world
  std::map<int, int> place;  // position of each of them in `members`
};

// Each rank's communicators, as far as the skeleton has created them.
class Groups {
 public:
  explicit Groups(int ranks);
  // Follows the communicators that a step creates; other steps have no effect.
  void follow(const Step& step);
  // Null if the rank has no such communicator.
  const Group* of(std::size_t rank, std::int32_t comm) const;

 private:
  std::vector<std::map<std::int32_t, std::shared_ptr<const Group>>> of_rank_;
};

}  // namespace emu::skeleton
