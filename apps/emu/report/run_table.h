// All points of a study as a table of a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace emu::app {

// A table element with a row for each of `points`, of all variations. A point's "report" is the path of its own page:
// its row links there.
std::string run_table_as_html(const nlohmann::ordered_json& study);

}  // namespace emu::app
