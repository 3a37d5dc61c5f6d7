// reduce: a task-parallel reduction that survives failures, and what it is compared with.
//
// The same output natively and emulated.
#include <mpi.h>

#include <fstream>
#include <iostream>

#include "baselines.h"
#include "command_line/program.h"
#include "emu/emu.h"
#include "options.h"
#include "worker.h"

namespace reduce {
namespace {

// What the workers do, one after another: each algorithm with each size.
class Experiment {
 public:
  Experiment(const Options& options, MPI_Comm workers, double start)
      : options_(options),
        comm_(workers),
        operation_(options.operation, options.cost_per_byte * options.scale),
        worker_(MPI_COMM_WORLD, fails_at(start)) {
    if (at_root() && !options.timings.empty()) timings_.open(options.timings);
    timings_.precision(12);
  }

  // The exit code.
  int run() {
    for (std::int64_t size : options_.sizes) {
      for (Algorithm algorithm : options_.algorithms) {
        // Nobody is kept from answering the master by one who is not as far. After a failure it could last
        // for ever.
        if (comm_ != MPI_COMM_NULL) MPI_Barrier(comm_);
        for (int repetition = 0; repetition < options_.repeat; ++repetition)
          run_once(algorithm, size, repetition);
        if (at_root()) {
          std::cout << algorithm_names()[static_cast<std::size_t>(algorithm)] << " " << size
                    << " B: " << right_ << " right, " << lost_ << " lost" << std::endl;
        }
        wrong_ += options_.at_once * options_.repeat - right_ - lost_;
        right_ = lost_ = 0;
      }
    }
    return worker_.finish() && at_root() && (wrong_ != 0 || timings_.fail()) ? 1 : 0;
  }

 private:
  double fails_at(double start) const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return options_.victim == rank - 1 ? start + options_.fails_at : std::numeric_limits<double>::infinity();
  }
  bool at_root() const { return worker_.number() == options_.root; }

  void run_once(Algorithm algorithm, std::int64_t size, int repetition) {
    const auto count = static_cast<std::size_t>(size / options_.scale) / sizeof(Element);
    const int lost_before = lost_;
    const auto [storing, reducing] = algorithm == Algorithm::task ? tasks(count) : baseline(algorithm, count);
    if (!timings_.is_open()) return;
    timings_ << algorithm_names()[static_cast<std::size_t>(algorithm)] << '\t' << size << '\t'
             << options_.at_once << '\t' << repetition << '\t' << storing << '\t' << reducing << '\t'
             << (lost_ == lost_before ? "right" : "lost") << std::endl;
  }

  void check(int reduction, const std::optional<Vector>& result) {
    if (!at_root()) return;
    if (!result)
      ++lost_;
    else if (operation_.right(reduction, worker_.workers(), *result))
      ++right_;
    else
      std::cerr << "reduce: reduction " << reduction << " is wrong" << std::endl;
  }

  std::pair<double, double> tasks(std::size_t count) {
    const int first = next_;
    next_ += options_.at_once;
    const double start = MPI_Wtime();
    for (int q = first; q < next_; ++q) {
      const double before = MPI_Wtime();
      Vector input = operation_.input(q, worker_.number(), count);
      worker_.store(q, std::move(input), operation_, MPI_Wtime() - before);
    }
    for (int q = first; q < next_; ++q) worker_.wait_stored(q);
    const double stored = MPI_Wtime();
    for (int q = first; q < next_; ++q) worker_.start(q, options_.root);
    compute_beside(first);
    for (int q = first; q < next_; ++q) worker_.wait(q);
    const double end = MPI_Wtime();
    for (int q = first; q < next_; ++q) check(q, worker_.result(q));
    return {stored - start, end - stored};
  }

  // In slices, so that the reductions go on.
  void compute_beside(int reduction) {
    constexpr int slices = 20;
    for (int i = 0; i < slices && options_.overlap > 0; ++i) {
      emu_compute(options_.overlap / slices);
      worker_.test(reduction);
    }
  }

  std::pair<double, double> baseline(Algorithm algorithm, std::size_t count) {
    std::vector<Vector> inputs;
    for (int i = 0; i < options_.at_once; ++i)
      inputs.push_back(operation_.input(next_ + i, worker_.number(), count));
    MPI_Barrier(comm_);
    const double start = MPI_Wtime();
    for (Vector& input : inputs) {
      if (algorithm == Algorithm::binomial) binomial(input, operation_, options_.root, comm_);
      if (algorithm == Algorithm::rabenseifner) rabenseifner(input, operation_, options_.root, comm_);
      if (algorithm == Algorithm::mpi) mpi_reduce(input, operation_, options_.root, comm_);
    }
    const double end = MPI_Wtime();
    for (Vector& input : inputs) check(next_++, std::move(input));
    return {0, end - start};
  }

  const Options& options_;
  const MPI_Comm comm_;
  const Operation operation_;
  Worker worker_;
  std::ofstream timings_;
  int next_ = 0;  // reduction
  int right_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
};

// Whether the rank that writes the timings can. All ranks get to know, by a collective operation.
bool can_write_timings(const Options& options, int rank) {
  const int writer = options.root + 1;
  int writable = rank != writer || command_line::can_write(options.timings);
  MPI_Bcast(&writable, 1, MPI_INT, writer, MPI_COMM_WORLD);
  return writable != 0;
}

// Tasks alone need no collective operation, which a failed worker would keep waiting for ever.
int run(const Options& options, int rank) {
  const double start = MPI_Wtime();
  if (!options.timings.empty() && !can_write_timings(options, rank))
    return command_line::refuse("reduce", rank, options.timings + ": cannot be written");
  MPI_Comm workers = MPI_COMM_NULL;
  if (options.algorithms != std::vector<Algorithm>{Algorithm::task})
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &workers);
  if (rank != 0) return Experiment(options, workers, start).run();
  const int failed = Master(options.patience, MPI_COMM_WORLD).serve();
  if (failed != 0) std::cerr << "reduce: " << failed << (failed == 1 ? " worker" : " workers") << " failed\n";
  return 0;
}

constexpr command_line::Program<Options> program = {"reduce",
                                                    "Usage: mpirun -n RANKS reduce [OPTIONS]\n"
                                                    "Reduces vectors, one from each rank but 0, which is the "
                                                    "master of the task-parallel algorithm: it hands\n"
                                                    "each pair of partial results that are ready to the "
                                                    "faster of their owners, and rebuilds what a failed one\n"
                                                    "held.",
                                                    add_options, read_options, run};

}  // namespace
}  // namespace reduce

int main(int argc, char** argv) { return command_line::main(argc, argv, reduce::program); }
