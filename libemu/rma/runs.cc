
#include "rma/type_map.h"

namespace emu::mpi {

bool Runs::continued(const Run& run) {
  if (runs_.empty() || runs_.back().count != run.count) return false;
  Run& last = runs_.back();
  const std::int64_t distance = run.offset - last.offset;
  if (last.blocks == 1) {
    if (run.blocks > 1 && run.stride != distance) return false;
    last.stride = distance;
  } else if (distance != last.blocks * last.stride || (run.blocks > 1 && run.stride != last.stride)) {
    return false;
  }
  last.blocks += run.blocks;
  return true;
}

void Runs::append(const Run& run) {
  if (!continued(run)) runs_.push_back(run);
}

void Runs::add(Run run) {
  if (run.count <= 0 || run.blocks <= 0) return;
  if (run.blocks > 1 && run.stride == run.count * extent_) {
    run.count *= run.blocks;
    run.blocks = 1;
  }
  if (run.blocks == 1) run.stride = 0;
  if (run.blocks == 1 && !runs_.empty()) {
    Run& last = runs_.back();
    const std::int64_t block = last.offset + (last.blocks - 1) * last.stride;
    if (block + last.count * extent_ == run.offset) {  // continues the last block
      run.offset = block;
      run.count += last.count;
      if (--last.blocks == 0) runs_.pop_back();
      if (!runs_.empty() && runs_.back().blocks == 1) runs_.back().stride = 0;
    }
  }
  append(run);
}

void Runs::repeat(const Runs& part, std::int64_t count, std::int64_t stride, std::int64_t at) {
  if (count <= 0 || part.runs_.empty()) return;
  if (part.runs_.size() == 1) {
    const Run& run = part.runs_.front();
    if (run.blocks == 1) return add({at + run.offset, run.count, stride, count});
    if (run.blocks * run.stride == stride)
      return add({at + run.offset, run.count, run.stride, run.blocks * count});
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (Run run : part.runs_) {
      run.offset += at + i * stride;
      add(run);
    }
}

}  // namespace emu::mpi
