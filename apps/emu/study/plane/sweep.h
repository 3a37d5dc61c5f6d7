// --sweep: one study with several values of names in braces in the program's arguments and environment.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "program/braces.h"

namespace emu::app::studies {

// A swept name with its values.
struct Sweep {
  std::string name;
  std::vector<std::string> values;  // as inserted, unique; ascending if they are numbers
  bool numbers = false;             // all values are numbers, so that neighbours are related
};

// A value for each swept name.
struct Setting {
  std::vector<std::pair<std::string, std::string>> values;  // name, value
  std::string label() const;                                // "T=4 mode=fast"; empty: no sweep
  Values in_braces() const { return {values.begin(), values.end()}; }
  bool operator==(const Setting&) const = default;
};
// With {P} for the number of ranks.
Values values_of(const Setting& setting, int ranks);

// "NAME=PART,PART,...": a part is a word, a number, or a range of whole numbers: FIRST..LAST, FIRST..LAST:STEP,
// FIRST..LAST*FACTOR.
Result<std::vector<Sweep>> parse_sweeps(const std::vector<std::string>& options);

// Every combination, the last name's values fastest; a single one without values if there is no sweep.
std::vector<Setting> settings_of(const std::vector<Sweep>& sweeps);

// Fails if a swept name occurs neither in the programs' arguments nor in the environment, or if the arguments have
// a name in braces other than {P} that is not swept.
// Names of `optional` may occur.
Result<void> names_fit(const std::vector<Sweep>& sweeps, const std::vector<Sweep>& optional,
                       const std::vector<Program>& programs);

// A value as JSON: a number if it is one, else text.
nlohmann::ordered_json value_json(const std::string& value);

}  // namespace emu::app::studies
