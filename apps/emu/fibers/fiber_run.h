// A job whose ranks are fibers of this process, on a target: what a process of each rank does from MPI_Init to MPI_Finalize.
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

// One rank on its fiber, which is there until it has finished.
class Self {
 public:
  Self(FiberRun& run, int number) : run_(run), number_(number) {}
  rank::Rank& rank() const { return *rank_; }
  record::Recorder* recorder() const { return recorder_.get(); }     // null: no trace
  record::ProgramWriter* program() const { return program_.get(); }  // likewise
  // Messages of a collective operation follow, in the call at hand.
  void begins_collective(match::Context context) const {
    rank_->begins_collective(context);
    if (program_) program_->collective(context);
  }
  // Ends the job with a message. Of several ranks the first in virtual time does so.
  [[noreturn]] void stop(const std::string& why) const;
  // Work of so many picoseconds of the reference CPU. Ends the job if it never gets done.
  void compute(Interval work, bool measured = false) const;
  // Ends the job if a message is longer than `room`, or another rank failed. `call` is named then.
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
  // On a fiber of its own, once for each rank.
  virtual void play(const Self& self) = 0;
  // More of the ranks that will never act again, for the report of a deadlock: lines that begin with a line break.
  virtual std::string places(const std::vector<int>& /*stuck*/) const { return {}; }
};

// Of a message without contents.
rank::Buffer bytes_only(model::Bytes bytes);

class FiberRun {
 public:
  // All outlive it. Records into the folder `trace` unless that is empty. The ranks fit on the target.
  FiberRun(Program& program, const target::Target& target, std::string trace,
           std::size_t stack_bytes = fiber::Job::Settings().stack_bytes);

  // Once. Failure: a deadlock, or what else ends a job before its time.
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
  std::vector<std::unique_ptr<Self>> ranks_;  // those that have begun and have not finished
};

}  // namespace emu::app::fibers
