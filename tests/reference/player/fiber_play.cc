#include <utility>

#include "fiber/job.h"
#include "match/checked_wire.h"
#include "reference/player/thread_player.h"

namespace emu::reference {

Result<Played> play_on_fibers(const Chain& chain) {
  const auto target = target_of(chain);
  if (!target) return tl::unexpected(target.error());
  const int ranks = chain.batch.ranks;
  const model::Network network(target->network, target->topology(ranks));
  Played played;
  played.logs.resize(static_cast<std::size_t>(ranks));
  fiber::Job job(network, ranks, {.stack_bytes = 256 << 10});
  const auto ended = job.run([&](int number) {
    match::CheckedWire<fiber::FiberWire> checked(job.wire(number),
                                                 match::Invariants(number, ranks, network.lookahead()),
                                                 [&, number](const match::Violation& broken) {
                                                   job.stop(match::describe(broken, number, "a call", ""));
                                                 });
    rank::Rank rank(number, ranks, network, checked, node_of(*target, ranks, number));
    std::vector<std::string> wrong;
    job.finish(number, play_part(rank, *target, chain, played.logs[static_cast<std::size_t>(number)], wrong));
    played.wrong.insert(played.wrong.end(), wrong.begin(), wrong.end());
  });
  if (!ended) return tl::unexpected(ended.error());
  for (int rank = 0; rank < ranks; ++rank) played.record.ranks.push_back(job.summary(rank));
  return played;
}

}  // namespace emu::reference
