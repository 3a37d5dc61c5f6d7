// Report of a recorded run: a table, JSON, and a page.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile.h"
#include "analysis/tasks.h"
#include "base/failure.h"
#include "record/summary.h"

namespace emu::app {

class TraceReport {
 public:
  // `trace`: the folder. Fails if it cannot be read; a trace that was cut off can be read.
  static Result<TraceReport> read(const std::string& trace);

  // Adds the results of emu study to the page: read_study.h.
  void add_study(nlohmann::ordered_json study) { study_ = std::move(study); }

  // The missing parts, in sentences; empty if the record is complete.
  std::vector<std::string> notes() const;
  // By interval, for the terminal.
  std::string table() const;
  Result<void> write_json(const std::string& path) const;  // "-": standard output
  // One line for each task of the masters and slaves.
  Result<void> write_tasks(const std::string& path) const;
  Result<void> write_page(const std::string& path) const;

 private:
  analysis::IntervalProfile intervals_;
  analysis::TaskTable tasks_;
  std::optional<record::RunSummary> summary_;  // with shared resources
  nlohmann::ordered_json profile_;
  nlohmann::ordered_json timeline_;
  nlohmann::ordered_json task_map_;
  nlohmann::ordered_json study_;  // null: none
};

}  // namespace emu::app
