// emu scatter: numbers of items for the ranks of a target.
#include <cstdio>
#include <iostream>

#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "scatter/answer.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app::scatters {
namespace {

Result<void> check_rank(const char* option, const std::optional<int>& rank, int ranks) {
  if (!rank || *rank < ranks) return {};
  return fail(std::string(option) + ": invalid rank: " + std::to_string(*rank) + " (expected 0 to " +
              std::to_string(ranks - 1) + ")");
}

// The input, after its checks: the target and its ranks.
struct Input {
  target::Target target;
  int ranks;
};
Result<Input> read(const Options& options) {
  const auto path = target_path(options.target);
  if (!path) return tl::unexpected(path.error());
  auto target = target::load(*path);
  if (!target) return tl::unexpected(target.error());
  const int ranks = options.ranks.value_or(target->slots());
  if (const auto fitting = target::fits(*target, ranks, *path); !fitting)
    return tl::unexpected(fitting.error());
  if (const auto good = check_rank("--root", options.root, ranks); !good) return tl::unexpected(good.error());
  if (const auto good = check_rank("--data-at", options.data_at, ranks); !good)
    return tl::unexpected(good.error());
  if (const auto good =
          can_write({{"--json", options.json}, {"--picture", options.picture}}, {{"the target", *path}});
      !good)
    return tl::unexpected(good.error());
  return Input{std::move(*target), ranks};
}

int complain(const Failure& failure, int code) {
  print_error(failure.message);
  if (code == 2) std::fputs("See emu scatter --help.\n", stderr);
  return code;
}

}  // namespace
}  // namespace emu::app::scatters

namespace emu::app {

int scatter(const std::vector<std::string>& args) {
  using namespace scatters;
  const auto options = parse_options(args);
  if (!options) return complain(options.error(), 2);
  if (options->help) {
    std::cout << help_text();
    return 0;
  }
  const auto input = read(*options);
  if (!input) return complain(input.error(), 2);
  const auto planned = answer(input->target, input->ranks, *options);
  if (!planned) return complain(planned.error(), 2);
  if (options->json != "-") std::cout << table(*planned);
  if (!options->json.empty())
    if (const auto written = write_text(json(*planned), options->json); !written)
      return complain(written.error(), 2);
  if (!options->picture.empty())
    if (const auto drawn = draw(*planned, options->picture); !drawn) return complain(drawn.error(), 1);
  return 0;
}

}  // namespace emu::app
