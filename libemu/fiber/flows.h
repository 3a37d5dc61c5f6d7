// Memory of the flows of messages in transit (contention/flow.h). A job may end before they land.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "contention/flow.h"

namespace emu::fiber {

class Flows {
 public:
  Flows() = default;
  Flows(const Flows&) = delete;
  ~Flows() {
    while (!flows_.empty()) erase(flows_.back());
  }

  // `make` makes a flow in the memory that it is given, with this number of stages.
  template <class Make>
  contention::Flow& add(std::size_t stages, Make make) {
    flows_.push_back(nullptr);
    contention::Flow& flow = make(operator new(contention::Flow::size(stages), alignment));
    flow.block = flows_.size() - 1;
    flows_.back() = &flow;
    return flow;
  }
  void erase(contention::Flow* flow) {
    flows_[flow->block] = flows_.back();
    flows_[flow->block]->block = flow->block;
    flows_.pop_back();
    flow->~Flow();
    operator delete(flow, alignment);
  }

 private:
  static constexpr std::align_val_t alignment{alignof(contention::Flow)};

  std::vector<contention::Flow*> flows_;  // each at the index `block`
};

}  // namespace emu::fiber
