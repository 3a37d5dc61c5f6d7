#include "study/page.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/html.h"
#include "report/run_table.h"
#include "study/json.h"
#include "study/verdict.h"

namespace emu::app::studies {
namespace {

constexpr const char* style = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.4em; } h2 { font-size: 1.15em; margin-top: 1.6em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .1em .6em; text-align: right; border-bottom: 1px solid #e6eaef; font-weight: normal; white-space: nowrap; }
th { color: #667; }
svg { width: 100%; height: auto; }
.verdict b { font-size: 1.05em; } li { margin: .15em 0; }
)";
// The lines of the verdict as paragraphs, lines with a dash as a list, and the optimum in bold.
std::string verdict_html(const std::string& text) {
  std::string html;
  bool list = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const bool item = line.starts_with("  - ");
    if (item != list) html += item ? "<ul>\n" : "</ul>\n";
    list = item;
    const std::string words = html_text(item ? line.substr(4) : line);
    const bool optimum = line.starts_with("Optimum: ");
    html += item      ? "<li>" + words + "</li>\n"
            : optimum ? "<p><b>" + words + "</b></p>\n"
                      : "<p>" + words + "</p>\n";
  }
  return html + (list ? "</ul>\n" : "");
}

// Text below the picture: the meaning of its colours, for a single curve.
std::string legend(const Study& study) {
  if (study.curves.size() != 1) return "";
  return "<p>Dashed, with a master: the closed form of the master alone (red) and of the slaves alone "
         "(green). "
         "Shaded: within 2 % of the optimum.</p>\n";
}

}  // namespace

std::string page(const Study& study, const nlohmann::ordered_json& json, const std::string& picture) {
  std::string command = study.program;
  for (const std::string& word : study.arguments) command += " " + word;
  return "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>emu study: " +
         html_text(study.program) + "</title>\n<style>" + style + "</style></head><body>\n<h1>" +
         html_text(command) + "</h1>\n<p>on " + html_text(study.curves.front().target.name) + "</p>\n" +
         picture + (picture.empty() ? "" : legend(study)) + "<h2>Verdict</h2>\n<div class='verdict'>" +
         verdict_html(verdict_text(study)) + "</div>\n<h2>Runs</h2>\n" + run_table_as_html(json) +
         "<script type='application/json' id='study'>" + html_json(json_text(json)) +
         "</script>\n</body></html>\n";
}

}  // namespace emu::app::studies
