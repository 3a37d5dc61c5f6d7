// Common code of ranks of one process, which are threads or fibers.
#include "reference/player/thread_player.h"

namespace emu::reference {
namespace {

struct Failed {};  // thrown through a rank whose node has failed for good

record::RankSummary summary(const rank::Rank& r) {
  return {r.now(), r.clock().breakdown(), r.clock().path(), r.messages_sent(), r.bytes_sent()};
}

}  // namespace

Result<target::Target> target_of(const Chain& chain) {
  const std::string name = std::to_string(chain.batch.seed);
  target::Sources sources{.text = target_file(chain.batch.cluster, name)};
  for (const File& file : profile_files(chain.batch.cluster, name)) sources.files[file.name] = file.text;
  return target::parse(sources, name + ".toml");
}

rank::Node node_of(const target::Target& target, int ranks, int number) {
  const int node = target.place(ranks)[static_cast<std::size_t>(number)];
  return rank::Node{target.speed(node, ranks), target.outages_of(node), target.failures(ranks),
                    [] { throw Failed(); }, target.on_failure == target::OnFailure::error};
}

record::RankSummary play_part(rank::Rank& rank, const target::Target& target, const Chain& chain, Log& log,
                              std::vector<std::string>& wrong) {
  record::RankSummary end;
  const std::vector<int> nodes = target.place(rank.size());
  ThreadPlayer player(rank, nodes);
  bool failed = false;
  try {
    if (chain.batch.cancels) rank.begin_withdrawals();
    rank.start();
    rank.leave();
    for (const Program& program : chain.programs) player.play(program, log[program.seed]);
    rank.enter("end");
    rank.finish_buffered();
    end = summary(rank);
    rank.finish();
  } catch (const Failed&) {
    failed = true;  // a fiber may not give its turn away while it handles an exception
  }
  if (failed) {
    rank.serve_last();
    end = summary(rank);
    end.failed = true;
  }
  wrong = player.wrong();
  return end;
}

}  // namespace emu::reference
