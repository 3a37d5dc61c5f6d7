// emu skeleton run: prediction of the program from the skeleton's run.
#include "skeleton/run.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/units.h"

namespace emu::app::skeletons {

std::string one_line(const Prediction& p) {
  const skeleton::Outcome& o = p.outcome;
  const auto time = [](double seconds) { return format(Interval::seconds(seconds), 5); };
  std::ostringstream text;
  text << "predicted " << time(o.predicted) << " +- " << time(o.half_width) << " on "
       << counted(p.ranks, "rank") << " of \"" << p.target << "\": ";
  if (o.scaled > 0) {
    text.precision(6);
    text << o.factor << " x " << time(o.scaled) << " + ";
  }
  text << time(o.whole) << " that do not scale; the skeleton took " << time(o.ran);
  return text.str();
}

std::string to_json(const Prediction& p) {
  const nlohmann::ordered_json json = {{"predicted_seconds", p.outcome.predicted},
                                       {"half_width_seconds", p.outcome.half_width},
                                       {"skeleton_seconds", p.outcome.ran},
                                       {"scaled_seconds", p.outcome.scaled},
                                       {"whole_seconds", p.outcome.whole},
                                       {"scale", p.scale},
                                       {"factor", p.outcome.factor},
                                       {"ranks", p.ranks},
                                       {"target", p.target},
                                       {"recorded_seconds", p.recorded},
                                       {"events", p.events},
                                       {"symbols", p.symbols},
                                       {"host_seconds", p.host_seconds}};
  return json.dump(2) + "\n";
}

}  // namespace emu::app::skeletons
