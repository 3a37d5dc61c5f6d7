// A job on a target whose ranks are fibers of this process. Each fiber does the work of a rank's process from MPI_Init
// to MPI_Finalize.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "fiber/job.h"
#include "rank/rank.h"
#include "record/program.h"
#include "record/recorder.h"
#include "record/summary.h"
#include "target/target.h"

namespace emu::app::fibers {

class FiberRun;

// One rank on its fiber. Exists until the rank has finished.
class Self {
 public:
  Self(FiberRun& run, int number) : run_(run), number_(number) {}
  rank::Rank& rank() const { return *rank_; }
  record::Recorder* recorder() const { return recorder_.get(); }     // null: no trace
  record::ProgramWriter* program() const { return program_.get(); }  // null: requests are not recorded
  // Messages of a collective operation follow, in the current call.
  void begins_collective(match::Context context) const {
    rank_->begins_collective(context);
    if (program_) program_->collective(context);
  }
  // Ends the job with a message. If several ranks stop, the first in virtual time ends the job.
  [[noreturn]] void stop(const std::string& why) const;
  // Work in time of the reference CPU. Ends the job if the work is never completed.
  void compute(Interval work, bool measured = false) const;
  // Ends the job if a message is longer than `room`, or if another rank failed. The message names `call`.
  void check(const char* call, const rank::Status& status, model::Bytes room) const;

 private:
  friend FiberRun;
  FiberRun& run_;
  const int number_;
  std::unique_ptr<rank::Rank> rank_;
  std::unique_ptr<record::Recorder> recorder_;
  std::unique_ptr<record::ProgramWriter> program_;
};

// The program that the ranks run.
class Program {
 public:
  virtual ~Program() = default;
  virtual int ranks() const = 0;
  virtual std::string name() const = 0;  // in a trace
  // Called on a fiber of its own, once for each rank.
  virtual void play(const Self& self) = 0;
  // Details of the ranks that will never act again, for the report of a deadlock: lines that begin with a line break.
  virtual std::string places(const std::vector<int>& /*stuck*/) const { return {}; }
};

// The buffer of a message without contents.
rank::Buffer bytes_only(model::Bytes bytes);

class FiberRun {
 public:
  // The arguments outlive the object. Records into the folder `trace`, unless it is empty. The ranks fit on the target.
  FiberRun(Program& program, const target::Target& target, std::string trace,
           std::size_t stack_bytes = fiber::Job::Settings().stack_bytes);

  // Runs the job, once. Fails if the job ends early, such as in a deadlock.
  Result<record::RunSummary> operator()();

  const model::Network& network() const { return network_; }
  const target::Target& target() const { return target_; }

 private:
  friend Self;
  struct NodeFailed {};  // thrown through a rank whose node has failed for good

  [[noreturn]] void stop(int number, const std::string& why);
  void play(int number);
  record::RankSummary play(const Self& self);
  record::RankSummary fail_with_node(const Self& self);
  rank::Node node_of(int number);
  void open_trace(Self& self);

  Program& program_;
  const target::Target& target_;
  const std::string trace_;
  const model::Network network_;
  const std::vector<int> places_;
  const std::vector<Instant> failures_;
  fiber::Job job_;
  std::vector<std::unique_ptr<Self>> ranks_;  // ranks that have begun and have not finished
};

}  // namespace emu::app::fibers
