// emu farm: predicts masters and slaves without a program, for many numbers of ranks and sizes of chunks.
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "common/terminal.h"
#include "farm/answer.h"
#include "report/curve.h"
#include "study/json.h"
#include "verbs.h"

namespace emu::app::farms {
namespace {

int publish(const Answer& answer, const Options& options) {
  if (options.json != "-")
    std::cout << table(answer) << '\n'
              << curve_as_text(studies::to_json(answer.study), columns()) << '\n'
              << verdict_text(answer) << std::flush;
  int code = 0;
  if (!options.json.empty())
    if (const auto written = write_text(studies::json_text(to_json(answer)), options.json); !written)
      code = refuse(written.error(), 1);
  if (!options.picture.empty())
    if (const auto drawn = draw_curve(studies::to_json(answer.study), options.picture); !drawn)
      code = refuse(drawn.error(), 1);
  if (!options.heat_map.empty())
    if (const auto drawn = draw_heat_map(answer, options.heat_map); !drawn) code = refuse(drawn.error(), 1);
  for (const studies::Curve& curve : answer.study.curves)
    for (const studies::Point& point : curve.points)
      if (!point.good()) code = 1;
  return code;
}

}  // namespace
}  // namespace emu::app::farms

namespace emu::app {

int farm(const std::vector<std::string>& args) {
  using namespace farms;
  const auto options = parse_options(args);
  if (const auto code = ended_by_options("farm", options, help)) return *code;
  if (const auto log = start_log(options->log_level); !log) return refuse(log.error());
  const auto target = target_path(options->target);
  if (!target) return refuse(target.error());
  if (const auto writable = can_write(
          {{"--json", options->json}, {"--picture", options->picture}, {"--heat-map", options->heat_map}},
          {{"the target", *target}, {"the costs", options->csv}});
      !writable)
    return refuse(writable.error());
  const auto found = answer(*options);
  if (!found) return refuse(found.error());
  return publish(*found, *options);
}

}  // namespace emu::app
