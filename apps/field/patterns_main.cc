// field-patterns: times communication patterns, one after another.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "patterns.h"

namespace field {
namespace {

namespace po = command_line::po;

// The start of the repeats of a case.
enum class Start {
  behind_each_other,  // only the first repeat follows a barrier
  together,           // all ranks begin each repeat at one instant
  behind_barrier,     // each repeat follows a barrier that is not timed, as in OSU's benchmarks
};

struct Case {
  std::string pattern;
  long long bytes = 0;
  int ranks = 0;  // number of ranks that take part, from rank 0
  int repeats = 1;
  Start start = Start::behind_each_other;
};

struct Options {
  std::vector<Case> cases;
};

void add_options(po::options_description& options) {
  options.add_options()(
      "cases", command_line::value("FILE"),
      "a line for each: PATTERN BYTES RANKS REPEATS START, separated by blanks; START is 0 for a barrier "
      "before the first repeat alone, 1 if all ranks begin each repeat at one instant, 2 for a barrier "
      "before each repeat");
}

emu::Result<void> read_cases(const std::string& name, int ranks, std::vector<Case>& cases) {
  std::ifstream in(name);
  if (!in) return emu::fail("--cases: " + name + " cannot be opened");
  constexpr long long most_bytes = 1LL << 30;
  constexpr int most_repeats = 100'000;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    Case c;
    const auto wrong = [&](const std::string& what) {
      return emu::fail(name + ":" + std::to_string(number) + ": " + what);
    };
    int start = 0;
    if (!(words >> c.pattern >> c.bytes >> c.ranks >> c.repeats >> start))
      return wrong("expected PATTERN BYTES RANKS REPEATS START");
    if (!find_pattern(c.pattern))
      return wrong("unknown pattern '" + c.pattern + "' (expected one of " + names_of_patterns() + ")");
    if (c.bytes < 0 || c.bytes > most_bytes)
      return wrong("invalid number of bytes: " + std::to_string(c.bytes) + " (expected 0 to 1073741824)");
    if (c.ranks < 1 || c.ranks > ranks)
      return wrong("invalid number of ranks: " + std::to_string(c.ranks) + " (expected 1 to " +
                   std::to_string(ranks) + ")");
    if (c.repeats < 1 || c.repeats > most_repeats)
      return wrong("invalid number of repeats: " + std::to_string(c.repeats) + " (expected 1 to 100000)");
    if (start < 0 || start > 2)
      return wrong("invalid start: " + std::to_string(start) + " (expected 0, 1 or 2)");
    c.start = static_cast<Start>(start);
    cases.push_back(std::move(c));
  }
  return {};
}

emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to) {
  std::string name;
  if (const auto read = command_line::read_text(given, "cases", name); !read) return read;
  if (name.empty()) return emu::fail("--cases FILE is missing");
  return read_cases(name, ranks, to.cases);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// For each repeat: the time of the slowest and of the fastest rank, and the mean. Prints the medians over the repeats.
void print(const Case& c, const std::vector<double>& times) {
  std::vector<double> slowest, fastest, mean;
  const auto repeats = static_cast<std::size_t>(c.repeats), ranks = static_cast<std::size_t>(c.ranks);
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    std::vector<double> here;
    for (std::size_t rank = 0; rank < ranks; ++rank) here.push_back(times[rank * repeats + repeat]);
    slowest.push_back(*std::max_element(here.begin(), here.end()));
    fastest.push_back(*std::min_element(here.begin(), here.end()));
    mean.push_back(std::accumulate(here.begin(), here.end(), 0.0) / static_cast<double>(ranks));
  }
  std::printf("%s %lld %d %.12f %.12f %.12f\n", c.pattern.c_str(), c.bytes, c.ranks, median(slowest),
              median(mean), median(fastest));
}

// Reading MPI_Wtime costs a poll, which is much where a message takes only a microsecond.
double clock() { return emu_active() ? 1e-12 * static_cast<double>(emu_picoseconds()) : MPI_Wtime(); }

// Under emulation all ranks begin at exactly the same instant; natively, when they leave a barrier.
void begin_together(MPI_Comm comm) {
  constexpr double later = 1;  // long enough for every rank to know the common instant before it
  const double now = clock();
  double last = 0;
  MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Barrier(comm);
  if (emu_active()) emu_compute(last + later - clock());
}

// Time of one repeat. With a barrier before each repeat, the time includes reading the clock, as in the measured loop.
double timed(const Case& c, const Rank& me, Pattern pattern) {
  if (c.start == Start::behind_barrier) {
    const double begin = MPI_Wtime();
    pattern(me, c.bytes);
    return MPI_Wtime() - begin;
  }
  const double begin = clock();
  pattern(me, c.bytes);
  return clock() - begin;
}

void time_case(const Case& c, int rank) {
  int all_ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
  MPI_Comm comm = MPI_COMM_WORLD;
  if (c.ranks < all_ranks) MPI_Comm_split(MPI_COMM_WORLD, rank < c.ranks ? 0 : MPI_UNDEFINED, 0, &comm);
  std::vector<double> times(static_cast<std::size_t>(c.repeats));
  if (comm != MPI_COMM_NULL) {
    std::vector<char> out(room(c.pattern, c.bytes, c.ranks)), in(out.size());
    const Rank me{rank, c.ranks, comm, out, in};
    const Pattern pattern = find_pattern(c.pattern);
    MPI_Barrier(comm);
    for (double& time : times) {
      if (c.start == Start::together) begin_together(comm);
      time = timed(c, me, pattern);
      if (c.start == Start::behind_barrier) MPI_Barrier(comm);
    }
    std::vector<double> all(rank == 0 ? times.size() * static_cast<std::size_t>(c.ranks) : 0);
    MPI_Gather(times.data(), c.repeats, MPI_DOUBLE, all.data(), c.repeats, MPI_DOUBLE, 0, comm);
    if (rank == 0) print(c, all);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int run(const Options& options, int rank) {
  for (const Case& c : options.cases) time_case(c, rank);
  return 0;
}

}  // namespace
}  // namespace field

int main(int argc, char** argv) {
  return command_line::main<field::Options>(argc, argv,
                                            {"field-patterns",
                                             "Usage: field-patterns --cases FILE\n"
                                             "Times communication patterns. Prints for each: pattern, bytes, "
                                             "ranks, and in seconds the time of the slowest\n"
                                             "rank, the mean, and the time of the fastest rank.",
                                             field::add_options, field::read_options, field::run, "cases"});
}
