// Orders of the dealer after a failure, and the requests to other ranks that follow from them.
#include "reduce/protocol/jobs.h"

namespace reduce {

int Jobs::ask_for(int from, int job, int k, int input) {
  const int tag = static_cast<int>(first_pull_tag(settings_.ranks)) + pulls_++ % most_pulls;
  wire_.tell(from, {Control::pull, office_.view(), job, 0, {k, input, tag}});
  return tag;
}

void Jobs::fetch(const Control& control) {
  const auto found = jobs_.find(control.job);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  const int k = control.list[0];
  Block& block = this->block(job, k);
  for (std::size_t at = 2; at + 1 < control.list.size(); at += 2) {
    const int i = control.list[at];
    const int from = control.list[at + 1];
    if (block.state[static_cast<std::size_t>(i)] == State::absent && !office_.gone(from))
      receive_piece(control.job, job, k, i, from, ask_for(from, control.job, k, i));
  }
  if (control.list[1] != 0) combine_block(control.job, job, k);
}

void Jobs::gather(const Control& control) {
  const auto found = jobs_.find(control.job);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  become_target(control.job, job);
  for (std::size_t at = 0; at + 1 < control.list.size(); at += 2) {
    const int k = control.list[at];
    const int from = control.list[at + 1];
    if (job.got[static_cast<std::size_t>(k)] == State::absent && !office_.gone(from))
      receive_result(control.job, job, k, from, ask_for(from, control.job, k, none));
  }
  say_if_whole(control.job, job);
}

// A dealer has told the asking rank that the piece is here; a result may have to be made first.
void Jobs::pull(int from, const Control& control) {
  const auto found = jobs_.find(control.job);
  if (found == jobs_.end() || office_.gone(from)) return;
  Job& job = found->second;
  if (job.words.empty()) return job.early.emplace_back(from, control), void();
  const int k = control.list[0];
  const int input = control.list[1];
  const int tag = control.list[2];
  const Arithmetic& arithmetic = *job.spec.arithmetic;
  const std::int64_t count = job.plan.count(k);
  Block& block = this->block(job, k);
  if (input != none)
    wire_.send(from, tag, block.piece[static_cast<std::size_t>(input)], count, arithmetic);
  else if (block.made)
    wire_.send(from, tag, block.sum, count, arithmetic);
  else if (job.target && job.got[static_cast<std::size_t>(k)] == State::here)
    wire_.send(from, tag, arithmetic.part(job.whole, job.plan.begin(k)), count, arithmetic);
  else
    block.pulls.emplace_back(from, tag);
}

}  // namespace reduce
