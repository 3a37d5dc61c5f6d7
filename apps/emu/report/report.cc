// emu report TRACE: distribution of the time of a recorded run, as a table, as a page, and as JSON.

#include <iostream>

#include "common/log.h"
#include "common/output.h"
#include "common/trace_command.h"
#include "report/read_study.h"
#include "report/trace_report.h"
#include "verbs.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

TraceCommand command() {
  TraceCommand command;
  command.verb = "report";
  command.usage =
      "TRACE [-o FILE.html] [--study FILE.json] [--json FILE] [--tasks FILE.csv]\n\n"
      "Says where the time of a run went that emu run --trace TRACE recorded: per rank and per named "
      "interval\n"
      "(emu_interval_begin and _end, or MPI_Pcontrol(1, name) and (-1, name)); and where the critical "
      "path goes;\n"
      "and, where ranks deal tasks to others, what masters and slaves did.\n";
  command.options.add_options()  //
      ("output,o", po::value<std::string>()->value_name("FILE"),
       "write a page that any browser shows, from this one file alone")  //
      ("study", po::value<std::string>()->value_name("FILE"),
       "show on the page the curve of a study too; FILE is what emu study --json wrote")  //
      ("json", po::value<std::string>()->value_name("FILE"),
       "write the same as JSON, all times in picoseconds; - is standard output")  //
      ("tasks", po::value<std::string>()->value_name("FILE"),
       "write every task that a master dealt to a slave in a line of a table (CSV), times in picoseconds; - "
       "is standard output");
  command.written = {"output", "json", "tasks"};
  return command;
}

int wrong(const std::string& message) {
  print_error(message);
  return 2;
}

}  // namespace

int report(const std::vector<std::string>& args) {
  const auto line = parse(command(), args);
  if (!line) return line.error();
  nlohmann::ordered_json study;
  if (line->has("study")) {
    if (!line->has("output")) return wrong("--study is shown on the page: name one with -o FILE");
    auto read = read_study(line->text("study"));
    if (!read) return wrong("--study: " + read.error().message);
    study = std::move(*read);
  }
  auto made = TraceReport::read(line->trace);
  if (!made) return wrong(made.error().message);
  made->add_study(std::move(study));
  for (const std::string& note : made->notes()) std::cerr << "emu: warning: " << note << "\n";
  if (line->text("json") != "-" && line->text("tasks") != "-") std::cout << made->table() << std::flush;
  Result<void> written;
  if (line->has("json")) written = made->write_json(line->text("json"));
  if (written && line->has("tasks")) written = made->write_tasks(line->text("tasks"));
  if (written && line->has("output")) written = made->write_page(line->text("output"));
  if (written) return 0;
  print_error(written.error().message);
  return 1;
}

}  // namespace emu::app
