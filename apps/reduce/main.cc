// reduce: a task-parallel reduction that survives failures, and the algorithms it is compared with.
//
// The output is equal natively and emulated.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>

#include "baselines.h"
#include "command_line/program.h"
#include "emu/emu.h"
#include "members.h"
#include "options.h"
#include "reduce/library/reduce.h"

namespace reduce {
namespace {

constexpr std::int64_t segment = 4 << 20;  // bytes on the target
constexpr std::int64_t most_segments = 8;
constexpr std::int64_t least_block = 2048;

reduce_settings settings_of(const Options& options) {
  reduce_settings settings;
  reduce_default_settings(&settings);
  settings.copies = options.copies;
  settings.detect = options.by_errors ? REDUCE_BY_ERRORS : REDUCE_BY_HEARTBEAT;
  settings.heartbeat = options.heartbeat;
  settings.limit = options.time_limit;
  settings.least_block = std::max<std::int64_t>(1, least_block / options.scale);
  settings.risky_count = static_cast<int>(options.risky.size());
  settings.risky = options.risky.data();
  return settings;
}

// The work of all ranks: each algorithm with each size, one after another.
class Experiment {
 public:
  Experiment(const Options& options, double start)
      : options_(options),
        operation_(options.operation, options.cost_per_byte * options.scale),
        start_(start) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    reporter_ = options.root;
    open();
    if (context_ && options.victim == rank()) reduce_fail_at(context_, start + options.fails_at);
    timings_.precision(12);
    if (members_.world(rank()) == options.root && !options.timings.empty())
      std::ofstream(options.timings, std::ios::trunc);
  }

  // Returns the exit code.
  int run() {
    if (!context_) return 1;
    for (std::int64_t size : options_.sizes) {
      for (Algorithm algorithm : options_.algorithms) {
        for (int repetition = 0; repetition < options_.repeat; ++repetition)
          run_once(algorithm, size, repetition);
        if (rank() == reporter_ || (options_.both && rank() == heir_ && all())) {
          std::cout << algorithm_names()[static_cast<std::size_t>(algorithm)] + " " + std::to_string(size) +
                           " B: " + std::to_string(right_) + " right, " + std::to_string(lost_) + " lost\n"
                    << std::flush;
        }
        wrong_ += options_.at_once * options_.repeat - right_ - lost_;
        right_ = lost_ = 0;
      }
    }
    int failed = 0;
    const bool part = reduce_close(&context_, &failed) == REDUCE_OK;
    failed += members_.failed();
    if (!part || rank() != reporter_) return 0;
    if (failed != 0)
      std::cerr << "reduce: " << failed << (failed == 1 ? " rank" : " ranks") << " failed" << std::endl;
    return wrong_ != 0 || timings_.fail() ? 1 : 0;
  }

 private:
  int rank() const { return members_.rank(); }

  // If MPI knows of a failure, reduce_open makes no context: then opens one in a communicator of the live ranks.
  void open() {
    for (int code = REDUCE_FAILED; code == REDUCE_FAILED;) {
      const reduce_settings settings = settings_of(options_);
      code = reduce_open(members_.comm(), &settings, &context_);
      if (code == REDUCE_OK) break;
      if (code == REDUCE_FAILED && options_.shrink) {
        members_.agree_and_shrink(true);
        continue;
      }
      std::cerr << "reduce: "
                << (code == REDUCE_INVALID ? reduce_message() : "a rank failed before the first reduction")
                << std::endl;
      return;
    }
    root_ = members_.first_from(options_.root);
    successor_ = options_.heir < 0 ? -1 : members_.first_from(options_.heir);
  }

  // Before this call, all ranks have ended the reductions, so that none waits for a rank that waits to agree.
  void close_and_shrink() {
    int failed = 0;
    if (reduce_close(&context_, &failed) == REDUCE_OK) members_.agree_and_shrink(failed != 0);
    reporter_ = heir_ = -1;
    open();
  }

  // True if this rank has all results that exist. An heir that took another's place has the latest results only.
  bool all() const { return right_ + lost_ == options_.at_once * options_.repeat; }

  void run_once(Algorithm algorithm, std::int64_t size, int repetition) {
    const auto count = static_cast<std::size_t>(size / options_.scale) / sizeof(Element);
    if (options_.shrink && next_ > 0) close_and_shrink();
    const int lost_before = lost_;
    const bool task = algorithm == Algorithm::task;
    const auto [begin, seconds] = task ? tasks(count, size) : baseline(algorithm, count);
    std::vector<double> stored(static_cast<std::size_t>(task && options_.stored ? members_.ranks() : 0));
    if (!stored.empty()) {
      reduce_last_pieces(context_, stored.data());
      MPI_Reduce(rank() == reporter_ ? MPI_IN_PLACE : stored.data(), stored.data(), members_.ranks(),
                 MPI_DOUBLE, MPI_MAX, reporter_, members_.comm());
    }
    if (rank() != reporter_ || options_.timings.empty()) return;
    timings_.open(options_.timings, std::ios::app);
    timings_ << algorithm_names()[static_cast<std::size_t>(algorithm)] << '\t' << size << '\t'
             << options_.at_once << '\t' << repetition << '\t' << begin << '\t' << seconds << '\t'
             << (lost_ == lost_before ? "right" : "lost");
    for (double seconds : stored) timings_ << '\t' << seconds - start_;
    timings_ << std::endl;
    timings_.close();
  }

  void check(int reduction, const std::vector<int>& ranks, const Vector& result) {
    if (operation_.right(reduction, ranks, result))
      ++right_;
    else
      std::cerr << "reduce: reduction " << reduction << " is wrong" << std::endl;
  }

  // Lets all ranks begin together where algorithms are compared, so that a late rank delays no other. After a failure
  // the barrier could last forever.
  void meet() const {
    if (options_.algorithms != std::vector<Algorithm>{Algorithm::task}) MPI_Barrier(members_.comm());
  }

  std::pair<double, double> tasks(std::size_t count, std::int64_t size) {
    struct Running {
      Vector input, result;
      reduce_request* request = nullptr;
    };
    std::vector<Running> running(static_cast<std::size_t>(options_.at_once));
    const int first = next_;
    next_ += options_.at_once;
    double making = MPI_Wtime();
    for (std::size_t i = 0; i < running.size(); ++i)
      running[i].input = operation_.input(first + static_cast<int>(i), members_.world(rank()), count);
    making = MPI_Wtime() - making;
    meet();
    const double begin = MPI_Wtime();
    reduce_options options;
    reduce_default_options(&options);
    options.heir = successor_;
    options.leave_out = options_.leave_out ? 1 : 0;
    options.segments = static_cast<int>(std::clamp<std::int64_t>(size / segment, 1, most_segments));
    options.seconds_per_byte = making / static_cast<double>(running.size() * count * sizeof(Element));
    for (Running& one : running) {
      one.result.resize(count);
      reduce_start(context_, one.input.data(), one.result.data(), static_cast<int>(count), MPI_INT64_T,
                   operation_.declaring(), root_, &options, &one.request);
    }
    compute_beside(running[0].request);
    std::vector<std::vector<int>> inputs;
    for (Running& one : running) {
      if (one.request)
        inputs.push_back(finish(first + static_cast<int>(inputs.size()), &one.request));
      else
        inputs.push_back(beside_);
    }
    const double end = MPI_Wtime();
    if (rank() == reporter_ || rank() == heir_)
      for (std::size_t i = 0; i < running.size(); ++i)
        if (holds_.contains(first + static_cast<int>(i)))
          check(first + static_cast<int>(i), inputs[i], running[i].result);
    // A live rank that is assumed to have failed may still read these buffers, so they keep their addresses.
    if (reduce_failed(context_, nullptr, 0) != 0 || reporter_ < 0) {
      for (Running& one : running) {
        kept_.push_back(std::move(one.input));
        kept_.push_back(std::move(one.result));
      }
    }
    return {begin - start_, end - begin};
  }

  // Returns the ranks whose inputs are in the result; none: it is lost.
  std::vector<int> finish(int reduction, reduce_request** request) {
    reduce_outcome outcome;
    return note(reduction, reduce_wait(request, &outcome), outcome);
  }

  std::vector<int> note(int reduction, int code, const reduce_outcome& outcome) {
    std::vector<int> ranks;
    if (code == REDUCE_EXCLUDED) {
      reporter_ = heir_ = -1;
      return ranks;
    }
    const std::vector<int> left_out(outcome.left_out, outcome.left_out + outcome.left_out_count);
    if (code == REDUCE_OK) {
      reporter_ = outcome.root;
      heir_ = outcome.heir;
      if (rank() == reporter_ || rank() == heir_) holds_.insert(reduction);
      for (int rank = 0; rank < members_.ranks(); ++rank)
        if (std::find(left_out.begin(), left_out.end(), rank) == left_out.end())
          ranks.push_back(members_.world(rank));
      return ranks;
    }
    ++lost_;
    std::vector<int> failed(static_cast<std::size_t>(members_.ranks()));
    failed.resize(static_cast<std::size_t>(reduce_failed(context_, failed.data(), members_.ranks())));
    // The root, or the first live rank after it.
    reporter_ = root_;
    while (std::find(failed.begin(), failed.end(), reporter_) != failed.end())
      reporter_ = (reporter_ + 1) % members_.ranks();
    std::string text = "reduce: rank " + std::to_string(members_.world(rank())) + ": reduction " +
                       std::to_string(reduction) + " is lost with the input of rank";
    for (int i = 0; i < outcome.lost_count; ++i)
      text += (i == 0 ? " " : ", ") + std::to_string(members_.world(outcome.lost[i]));
    std::cerr << text + "\n" << std::flush;  // in one call, because all ranks write
    return ranks;
  }

  // Computes in slices, so that the reductions make progress.
  void compute_beside(reduce_request*& request) {
    constexpr int slices = 20;
    beside_.clear();
    for (int i = 0; i < slices && options_.overlap > 0; ++i) {
      emu_compute(options_.overlap / slices);
      if (!request) continue;
      int over = 0;
      reduce_outcome outcome;
      const int code = reduce_test(&request, &over, &outcome);
      if (over != 0) beside_ = note(next_ - options_.at_once, code, outcome);
    }
  }

  std::pair<double, double> baseline(Algorithm algorithm, std::size_t count) {
    std::vector<Vector> inputs;
    for (int i = 0; i < options_.at_once; ++i) inputs.push_back(operation_.input(next_ + i, rank(), count));
    MPI_Barrier(members_.comm());
    const double begin = MPI_Wtime();
    for (Vector& input : inputs) {
      if (algorithm == Algorithm::binomial) binomial(input, operation_, options_.root, MPI_COMM_WORLD);
      if (algorithm == Algorithm::rabenseifner)
        rabenseifner(input, operation_, options_.root, MPI_COMM_WORLD);
      if (algorithm == Algorithm::mpi) mpi_reduce(input, operation_, options_.root, MPI_COMM_WORLD);
    }
    const double end = MPI_Wtime();
    std::vector<int> all(static_cast<std::size_t>(members_.ranks()));
    for (int rank = 0; rank < members_.ranks(); ++rank) all[static_cast<std::size_t>(rank)] = rank;
    for (const Vector& input : inputs) {
      if (rank() == options_.root) check(next_, all, input);
      ++next_;
    }
    return {begin - start_, end - begin};
  }

  const Options& options_;
  const Operation operation_;
  const double start_;
  Members members_;
  int root_ = 0;        // among the members
  int successor_ = -1;  // the requested heir, among the members; -1: none
  reduce_context* context_ = nullptr;
  int reporter_ = 0;         // the rank that has the results reports them
  int heir_ = -1;            // the other rank that has the results
  std::vector<int> beside_;  // the inputs of a reduction that ended during the other work
  std::set<int> holds_;      // reductions whose result is on this rank
  std::vector<Vector> kept_;
  std::ofstream timings_;
  int next_ = 0;  // number of the next reduction
  int right_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
};

// True if the rank that writes the timings can write its file. A broadcast tells all ranks.
bool can_write_timings(const Options& options, int rank) {
  int writable = rank != options.root || command_line::can_write(options.timings);
  MPI_Bcast(&writable, 1, MPI_INT, options.root, MPI_COMM_WORLD);
  return writable != 0;
}

int run(const Options& options, int rank) {
  const double start = MPI_Wtime();
  if (!options.timings.empty() && !can_write_timings(options, rank))
    return command_line::refuse("reduce", rank, options.timings + ": cannot be written");
  return Experiment(options, start).run();
}

constexpr command_line::Program<Options> program = {
    "reduce",
    "Usage: mpirun -n RANKS reduce [OPTIONS]\n"
    "Reduces vectors, one from each rank, by tasks that a dealer deals to the ranks by their speeds; what "
    "failed ranks\n"
    "held is made again from copies. apps/reduce/README.md has the library and the protocol.",
    add_options, read_options, run};

}  // namespace
}  // namespace reduce

int main(int argc, char** argv) { return command_line::main(argc, argv, reduce::program); }
