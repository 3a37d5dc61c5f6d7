// Random programs on ranks that are threads, or fibers, of one process: every operation
// must return the answer of the sequential simulator at the same picosecond. Built with
// ThreadSanitizer, it checks the accesses of ranks to the memory that they share.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "reference/player/thread_player.h"

namespace {

using namespace emu;
using namespace emu::reference;

char at_hand[1024];  // for the signal handler: the current batch

void too_long(int) {
  constexpr char text[] = "not over in time: ";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0 ||
      write(STDERR_FILENO, at_hand, std::strlen(at_hand)) < 0)
    _exit(2);
  _exit(1);
}

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t programs = 1500;
  std::uint64_t chain = 15;
  int ranks = 0;
  int delays = 0;
  int nodes = 1;
  bool failures = false;
  bool noticed = false;
  bool fibers = false;
  bool shared = false;
  unsigned seconds = 120;
};

// Events that programs that notice failures must have met. These are programs that end, with all sent messages
// received.
constexpr std::array noticed_counts = {
    &Coverage::in_vain,      &Coverage::failed_receives, &Coverage::failed_sends, &Coverage::failed_probes,
    &Coverage::doubts,       &Coverage::doubtful_probes, &Coverage::broken,       &Coverage::broken_at_once,
    &Coverage::acknowledged, &Coverage::agreed,          &Coverage::disagreed,    &Coverage::shrunk,
    &Coverage::unheard};

std::optional<Difference> check(const Chain& chain, const Options& o) {
  const Result<Played> played = o.fibers ? play_on_fibers(chain) : play_in_threads(chain, o.delays, o.nodes);
  if (!played) return Difference{chain.first, played.error().message + "\n"};
  for (const std::string& wrong : played->wrong)
    return Difference{chain.first, "not what was sent: " + wrong + "\n"};
  if (auto different = compare(chain, played->logs)) return different;
  return compare(chain, played->record);
}

int run(const Options& o) {
  std::signal(SIGALRM, too_long);
  std::uint64_t played = 0, batch = o.seed;
  Coverage coverage;
  for (std::uint64_t done = 0; done < o.programs; ++batch) {
    std::optional<Chain> chain;
    const std::uint64_t count = o.failures || o.noticed ? 1 : std::min(o.chain, o.programs - done);
    if (o.noticed)
      chain = simulate_noticing(make_batch(batch, o.ranks), 1);
    else if (o.failures)
      chain = simulate_failing(make_batch(batch, o.ranks), 1);
    else
      chain = simulate(make_batch(batch, o.ranks), 1, count);
    done += count;
    if (!chain || !chain->ends || chain->leftover) continue;
    std::snprintf(at_hand, sizeof at_hand, "%s\n", describe(chain->batch).c_str());
    alarm(o.seconds);
    if (const auto difference = check(*chain, o)) {
      std::printf("DIFFERENT: %s%s", at_hand, difference->text.c_str());
      return 1;
    }
    alarm(0);
    played += chain->programs.size() - 1;
    coverage.contested += chain->coverage.contested;
    coverage.rendezvous += chain->coverage.rendezvous;
    coverage.false_polls += chain->coverage.false_polls;
    coverage.failed += chain->coverage.failed;
    for (const auto count_of : noticed_counts) coverage.*count_of += chain->coverage.*count_of;
  }
  std::printf(
      "%llu programs as expected; %lld choices of several sources, %lld handshakes, %lld false answers, "
      "%lld ranks that failed\n",
      static_cast<unsigned long long>(played), static_cast<long long>(coverage.contested),
      static_cast<long long>(coverage.rendezvous), static_cast<long long>(coverage.false_polls),
      static_cast<long long>(coverage.failed));
  const bool all = played > 0 &&
                   (!o.noticed || o.programs < 500 ||
                    std::all_of(noticed_counts.begin(), noticed_counts.end(),
                                [&](auto count) { return coverage.*count > 0; })) &&
                   (o.programs < 100 || o.failures || o.noticed ||
                    (coverage.contested > 0 && coverage.rendezvous > 0 && coverage.false_polls > 0));
  return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  Options o;
  po::options_description description("Random programs under the simulator and on ranks that are threads");
  description.add_options()("help", "this text")("programs", po::value(&o.programs), "how many")(
      "seed", po::value(&o.seed), "of the first batch; the following ones have the following numbers")(
      "chain", po::value(&o.chain), "programs of a batch, played one after the other")(
      "ranks", po::value(&o.ranks), "2 to 8 at random if it is not given")(
      "host-delays", po::value(&o.delays)->implicit_value(50),
      "greatest length of random real delays, in microseconds")(
      "failures", po::bool_switch(&o.failures), "one program of each batch, while nodes fail")(
      "noticed", po::bool_switch(&o.noticed), "... which operations of the others notice")(
      "fibers", po::bool_switch(&o.fibers), "ranks are fibers of one thread")(
      "seconds", po::value(&o.seconds), "that one batch may take")("shared", po::bool_switch(&o.shared),
                                                                   "messages share cards, memory and links")(
      "nodes", po::value(&o.nodes), "that share no memory, with an agent each; at most one for each rank");
  try {
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, description), values);
    if (values.count("help")) {
      std::cout << description;
      return 0;
    }
    po::notify(values);
    if (o.shared) o.seed += shared_seeds;
  } catch (const po::error& e) {
    std::cerr << e.what() << '\n' << description;
    return 2;
  }
  return run(o);
}
