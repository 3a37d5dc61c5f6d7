// Predicted times of a farm by number of ranks, and conclusions from them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "farm/options.h"
#include "study/study.h"

namespace emu::app::farms {

struct Answer {
  studies::Study study;  // a curve for each way
  std::vector<Policy> ways;
  Protocol protocol = Protocol::deal;
  Costs costs;
};

// Reads and checks the target and the costs, and simulates all requested farms.
Result<Answer> answer(const Options& options);

// The curve with the least time of all; nothing if no farm was completed.
std::optional<std::size_t> best_of(const Answer& answer);
// The least of the simulated numbers of ranks at which the master alone takes longer than the slaves alone, by the
// closed form.
std::optional<int> saturation(const Answer& answer, std::size_t curve);

// The table and the verdict on the best way, for users.
std::string table(const Answer& answer);
std::string verdict_text(const Answer& answer);
// JSON for tools; the keys are fixed.
nlohmann::ordered_json to_json(const Answer& answer);

// Draws a row for each way and a column for each number of ranks, in colours: FILE.png, or else SVG.
Result<void> draw_heat_map(const Answer& answer, const std::string& path);

// Costs of the tasks of a recorded run, on the reference CPU.
Result<Costs> read_trace(const std::string& folder, const target::Target& target);

}  // namespace emu::app::farms
