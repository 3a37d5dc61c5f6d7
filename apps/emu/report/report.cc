// emu report TRACE: distribution of the time of a recorded run, as a table, as a page, and as JSON.

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/log.h"
#include "common/output.h"
#include "common/trace_command.h"
#include "report/read_study.h"
#include "report/trace_report.h"
#include "verbs.h"

namespace emu::app::reports {
namespace po = boost::program_options;
namespace {

TraceCommand command() {
  TraceCommand command;
  command.verb = "report";
  command.usage =
      "TRACE [-o FILE.html] [--study FILE.json] [--json FILE] [--tasks FILE.csv]\n\n"
      "Shows where the time of a run of emu run --trace TRACE goes: by rank and by named interval\n"
      "(emu_interval_begin and _end, or MPI_Pcontrol(1, name) and (-1, name)); the critical path; and, if\n"
      "ranks deal tasks to others, the time of masters and slaves.\n";
  command.options.add_options()  //
      ("output,o", po::value<std::string>()->value_name("FILE"),
       "write a page for a browser, in one file")  //
      ("study", po::value<std::string>()->value_name("FILE"),
       "also show the curve of a study on the page; FILE is the JSON of emu study")  //
      ("json", po::value<std::string>()->value_name("FILE"),
       "write the report as JSON, all times in picoseconds; - is standard output")  //
      ("tasks", po::value<std::string>()->value_name("FILE"),
       "write every task that a master dealt to a slave in a line of a table (CSV), times in picoseconds; - "
       "is standard output");
  command.written = {"output", "json", "tasks"};
  command.read = {"study"};
  return command;
}

}  // namespace
}  // namespace emu::app::reports

namespace emu::app {

int report(const std::vector<std::string>& args) {
  using namespace reports;
  const auto line = parse(command(), args);
  if (!line) return line.error();
  nlohmann::ordered_json study;
  if (line->has("study")) {
    if (!line->has("output")) return refuse("--study is shown on the page: name one with -o FILE");
    auto read = read_study(line->text("study"));
    if (!read) return refuse("--study: " + read.error().message);
    study = std::move(*read);
  }
  auto made = TraceReport::read(line->trace);
  if (!made) return refuse(made.error());
  made->add_study(std::move(study));
  for (const std::string& note : made->notes()) std::cerr << "emu: warning: " << note << "\n";
  if (!on_standard_output({line->text("json"), line->text("tasks"), line->text("output")}))
    std::cout << made->table() << std::flush;
  Result<void> written;
  if (line->has("json")) written = made->write_json(line->text("json"));
  if (written && line->has("tasks")) written = made->write_tasks(line->text("tasks"));
  if (written && line->has("output")) written = made->write_page(line->text("output"));
  if (written) return 0;
  return refuse(written.error(), 1);
}

}  // namespace emu::app
