// field-columns: a master deals the columns of the Mandelbrot set to slaves, by rules of self-scheduling.
//
// The work of a column is declared: its number of iterations, counted before, times the time of one. Message sizes are
// those of a measured program: request 12 bytes; request with results 36 bytes and 4 for each point; answer 16 bytes.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "columns.h"
#include "command_line/program.h"
#include "iteration_table.h"

namespace field {
namespace {

namespace po = command_line::po;

struct Case {
  std::string name;
  Dealing dealing;
  bool results = false;   // the slaves send the results back
  bool permuted = false;  // column i of the deal is (i mod 4) x size/4 + i/4 of the image
  double seconds = 0;     // of an iteration, on the reference CPU
  int seeds = 1;          // number of cases with other start times of the slaves
};

struct Options {
  std::string cases, table;
  int size = 4000, most = 1000;
  double start = 0;  // seconds, the greatest work of a slave before it registers
};

enum Tag { registration = 0, request = 3, answer = 4 };

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("cases", command_line::value("FILE"),
      "a line for each: NAME RULE SIZE THRESHOLD POWERS RESULTS PERMUTED NANOSECONDS SEEDS, with the rule "
      "tss, gss or "
      "fss, or dtss, dgss, dfss for its distributed form, and powers separated by commas");
  add("table", command_line::value("FILE"),
      "the iterations of each column: with --cases to read, alone to write");
  add("size", command_line::value("N"), "columns of the image (4000)");
  add("iterations", command_line::value("N"), "most iterations of a point (1000)");
  add("start", command_line::value("TIME"),
      "work of a slave before it registers: half of this time to all of it, at random by the seed (0s)");
}

emu::Result<void> read_options(const command_line::Given& given, int, Options& to) {
  const auto read = command_line::all({command_line::read_text(given, "cases", to.cases),
                                       command_line::read_text(given, "table", to.table),
                                       command_line::read_count(given, "size", 4, 100'000, to.size),
                                       command_line::read_count(given, "iterations", 1, 1'000'000, to.most),
                                       command_line::read_seconds(given, "start", to.start)});
  if (read && to.table.empty()) return emu::fail("--table FILE is missing");
  return read;
}

emu::Result<std::vector<Case>> read_cases(const std::string& file, int slaves) {
  std::ifstream in(file);
  if (!in) return emu::fail("--cases: " + file + " cannot be opened");
  const std::vector<std::string> rules = {"tss", "gss", "fss"};
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    Case c;
    std::string rule, powers;
    std::istringstream words(line);
    const auto wrong = [&](const std::string& what) {
      return emu::fail(file + ":" + std::to_string(number) + ": " + what);
    };
    if (!(words >> c.name >> rule >> c.dealing.columns >> c.dealing.threshold >> powers >> c.results >>
          c.permuted >> c.seconds >> c.seeds))
      return wrong("expected NAME RULE SIZE THRESHOLD POWERS RESULTS PERMUTED NANOSECONDS SEEDS");
    c.dealing.distributed = rule.starts_with('d');
    const auto found = std::find(rules.begin(), rules.end(), rule.substr(c.dealing.distributed ? 1 : 0));
    if (found == rules.end())
      return wrong("unknown rule '" + rule + "' (expected tss, gss, fss, dtss, dgss or dfss)");
    c.dealing.rule = static_cast<Rule>(found - rules.begin());
    c.seconds *= 1e-9;
    for (const std::string& power : command_line::parts(powers)) {
      std::istringstream text(power);
      int value = 0;
      if (!(text >> value) || value < 1) return wrong("invalid power: '" + power + "' (expected 1 or more)");
      c.dealing.powers.push_back(value);
    }
    if (static_cast<int>(c.dealing.powers.size()) != slaves)
      return wrong("invalid number of powers: " + std::to_string(c.dealing.powers.size()) + " (expected " +
                   std::to_string(slaves) + ", one for each slave)");
    cases.push_back(std::move(c));
  }
  return cases;
}

// --- the table of iterations

int count_iterations(const Options& options, int rank) {
  if (rank != 0) return 0;
  const auto written = write_table(iterations(options.size, options.most), options.table);
  return written ? 0 : command_line::refuse("field-columns", rank, written.error().message);
}

// Iterations of the columns [first, first + count), numbered as they are dealt.
double iterations_of(const std::vector<std::int64_t>& sums, const Case& c, int first, int count) {
  double all = 0;
  const int size = c.dealing.columns;
  for (int i = first; i < first + count; ++i)
    all += static_cast<double>(sums[static_cast<std::size_t>(c.permuted ? i % 4 * (size / 4) + i / 4 : i)]);
  return all;
}

// --- the program

// Time in seconds from the registration of the last slave to the last final report.
double deal(const Case& c, int slaves, std::span<char> buffer) {
  Dealer dealer(c.dealing);
  for (int i = 0; i < slaves; ++i) {
    int hello[2];
    MPI_Recv(hello, 2, MPI_INT, MPI_ANY_SOURCE, registration, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const double begin = MPI_Wtime();
  std::vector<bool> ended(static_cast<std::size_t>(slaves) + 1);
  for (int reports = 0; reports < slaves;) {
    MPI_Status status;
    MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, MPI_ANY_SOURCE, request,
             MPI_COMM_WORLD, &status);
    const auto slave = static_cast<std::size_t>(status.MPI_SOURCE);
    if (ended[slave]) {
      ++reports;
      continue;
    }
    const Dealer::Chunk chunk = dealer.next(status.MPI_SOURCE - 1);
    ended[slave] = chunk.columns == 0;
    const int words[4] = {chunk.first, chunk.columns, 0, 0};
    MPI_Send(words, 4, MPI_INT, status.MPI_SOURCE, answer, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}

struct Done {
  double columns = 0, requests = 0, seconds = 0;  // of the work
};

Done compute(const Case& c, const std::vector<std::int64_t>& sums, std::span<char> buffer) {
  Done done;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int hello[2] = {rank, 1};
  MPI_Send(hello, 2, MPI_INT, 0, registration, MPI_COMM_WORLD);
  int bytes = 12;
  for (;;) {
    MPI_Send(buffer.data(), bytes, MPI_CHAR, 0, request, MPI_COMM_WORLD);
    ++done.requests;
    int words[4];
    MPI_Recv(words, 4, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int first = words[0], columns = words[1];
    if (columns == 0) break;
    const double begin = 1e-12 * static_cast<double>(emu_picoseconds());
    emu_compute(c.seconds * iterations_of(sums, c, first, columns));
    done.seconds += 1e-12 * static_cast<double>(emu_picoseconds()) - begin;
    done.columns += columns;
    if (c.results) bytes = 36 + 4 * columns * c.dealing.columns;
  }
  MPI_Send(buffer.data(), 36, MPI_CHAR, 0, request, MPI_COMM_WORLD);
  return done;
}

// A number from 0 to 1 that depends on the arguments only.
double random(std::uint64_t seed, std::uint64_t rank) {
  std::uint64_t z = (seed * 64 + rank + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

void run_case(const Case& c, int seed, const Options& options, const std::vector<std::int64_t>& sums,
              int rank, int ranks) {
  // The contents have no meaning, and pages that no rank writes take no memory.
  const auto points = static_cast<std::size_t>(c.dealing.columns);
  const std::size_t bytes = c.results ? 36 + 4 * points * points : 64;
  const auto memory = std::make_unique_for_overwrite<char[]>(bytes);
  const std::span<char> buffer(memory.get(), bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  double master = 0;
  Done done;
  if (rank == 0) {
    master = deal(c, ranks - 1, buffer);
  } else {
    if (seed > 0) {
      const double share = random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(rank));
      emu_compute(options.start * (1 + share) / 2);
    }
    done = compute(c, sums, buffer);
  }
  std::vector<double> all(rank == 0 ? 3 * static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&done, 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("%s %d %.9f", c.name.c_str(), seed, master);
  for (std::size_t slave = 1; slave < static_cast<std::size_t>(ranks); ++slave)
    std::printf(" %.0f/%.0f/%.6f", all[3 * slave], all[3 * slave + 1], all[3 * slave + 2]);
  std::printf("\n");
}

int run(const Options& options, int rank) {
  if (options.cases.empty()) return count_iterations(options, rank);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto cases = read_cases(options.cases, ranks - 1);
  if (!cases) return command_line::refuse("field-columns", rank, cases.error().message);
  for (const Case& c : *cases) {
    const auto sums = read_table(options.table, c.dealing.columns);
    if (!sums) return command_line::refuse("field-columns", rank, sums.error().message);
    for (int seed = 0; seed < c.seeds; ++seed) run_case(c, seed, options, *sums, rank, ranks);
  }
  return 0;
}

}  // namespace
}  // namespace field

int main(int argc, char** argv) {
  return command_line::main<field::Options>(
      argc, argv,
      {"field-columns",
       "Usage: field-columns --cases FILE --table FILE\n"
       "       field-columns --table FILE --size N --iterations N\n"
       "Self-scheduling of the columns of the Mandelbrot set. Prints for each case and seed: the name, the "
       "seed, the\n"
       "master's time in seconds, and of each slave columns/requests/seconds of work. The first use reads "
       "the table of\n"
       "N columns from FILE-N; the second one counts the iterations and writes them to FILE.",
       field::add_options, field::read_options, field::run});
}
