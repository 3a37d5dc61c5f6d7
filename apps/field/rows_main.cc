// field-rows: a master and slaves compute the rows of an image of the Mandelbrot set, dealt one by one or in blocks.
//
// The work of a row is declared: its number of iterations, counted before, times the time of one. A row's number has 4
// bytes, its result a byte for each point.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "iteration_table.h"
#include "rows.h"

namespace field {
namespace {

namespace po = command_line::po;

struct Options {
  std::string cases, table, same = "imaginary";
  int size = 0, most = 256;
};

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("cases", command_line::value("FILE"), "a line for each: NAME SCHEME ROWS NANOSECONDS");
  add("table", command_line::value("FILE"),
      "the iterations of each row: with --cases to read, alone to write");
  add("size", command_line::value("N"), "rows of the table, and points of each");
  add("iterations", command_line::value("N"), "most iterations of a point (256)");
  add("same", command_line::value("PART"), "the part of c that a row has in common: real or imaginary");
}

emu::Result<void> read_options(const command_line::Given& given, int, Options& to) {
  const auto read = command_line::all({command_line::read_text(given, "cases", to.cases),
                                       command_line::read_text(given, "table", to.table),
                                       command_line::read_count(given, "size", 4, 100'000, to.size),
                                       command_line::read_count(given, "iterations", 1, 1'000'000, to.most),
                                       command_line::read_text(given, "same", to.same)});
  if (read && to.table.empty()) return emu::fail("--table FILE is missing");
  if (read && to.same != "real" && to.same != "imaginary")
    return emu::fail("--same: unknown part: \"" + to.same + "\" (expected real or imaginary)");
  if (read && to.cases.empty() && to.size == 0) return emu::fail("--size N is missing");
  return read;
}

int count_iterations(const Options& options, int rank) {
  if (rank != 0) return 0;
  const Row row = options.same == "real" ? Row::real : Row::imaginary;
  const auto written = write_table(row_iterations(options.size, options.most, row), options.table);
  return written ? 0 : command_line::refuse("field-rows", rank, written.error().message);
}

// --- the program

enum Tag { number = 0, points = 1 };

// A rank's view of the image.
class Image {
 public:
  Image(std::vector<std::int64_t> iterations, double seconds)
      : iterations_(std::move(iterations)), seconds_(seconds), buffer_(iterations_.size()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  int rows() const { return static_cast<int>(iterations_.size()); }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  void compute(int from, int to) const {
    double all = 0;
    for (int row = from; row < to; ++row)
      all += static_cast<double>(iterations_[static_cast<std::size_t>(row)]);
    emu_compute(seconds_ * all);
  }

  void send_result(int row) {
    MPI_Send(&row, 1, MPI_INT, 0, number, MPI_COMM_WORLD);
    MPI_Send(buffer_.data(), rows(), MPI_CHAR, 0, points, MPI_COMM_WORLD);
  }

  struct Arrived {
    int row, source;
  };
  Arrived receive_result() {
    MPI_Status status;
    int row;
    MPI_Recv(&row, 1, MPI_INT, MPI_ANY_SOURCE, number, MPI_COMM_WORLD, &status);
    MPI_Recv(buffer_.data(), rows(), MPI_CHAR, status.MPI_SOURCE, points, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return {row, status.MPI_SOURCE};
  }

  // The row is the tag of its result: one message.
  void send_tagged(int row) { MPI_Send(buffer_.data(), rows(), MPI_CHAR, 0, 2 + row, MPI_COMM_WORLD); }
  Arrived receive_tagged() {
    MPI_Status status;
    MPI_Recv(buffer_.data(), rows(), MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return {status.MPI_TAG - 2, status.MPI_SOURCE};
  }

 private:
  std::vector<std::int64_t> iterations_;
  double seconds_;  // of an iteration, on the reference CPU
  std::vector<char> buffer_;
  int rank_ = 0, ranks_ = 0;
};

void deal_to(int slave, int row) { MPI_Send(&row, 1, MPI_INT, slave, number, MPI_COMM_WORLD); }

void slave_of_dealer(Image& image, bool tagged) {
  for (;;) {
    int row;
    MPI_Recv(&row, 1, MPI_INT, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (row < 0) return;
    image.compute(row, row + 1);
    tagged ? image.send_tagged(row) : image.send_result(row);
  }
}

// The master deals a row to each slave, then the next one to the slave whose result has arrived.
void dynamic(Image& image, bool tagged) {
  int next = 0, under_way = 0;
  for (int slave = 1; slave < image.ranks() && next < image.rows(); ++slave, ++under_way)
    deal_to(slave, next++);
  for (; under_way > 0; --under_way) {
    const int slave = (tagged ? image.receive_tagged() : image.receive_result()).source;
    if (next < image.rows()) {
      deal_to(slave, next++);
      ++under_way;
    } else {
      deal_to(slave, -1);
    }
  }
}

// As dynamic(). Once all rows are dealt, the rows that are still missing are dealt again, in turn.
void again(Image& image) {
  std::vector<bool> done(static_cast<std::size_t>(image.rows()));
  int next = 0, missing = image.rows();
  const auto following = [&] { next = (next + 1) % image.rows(); };
  for (int slave = 1; slave < image.ranks(); ++slave, following()) deal_to(slave, next);
  while (missing > 0) {
    const auto [row, source] = image.receive_result();
    if (!done[static_cast<std::size_t>(row)]) --missing;
    done[static_cast<std::size_t>(row)] = true;
    deal_to(source, next);
    if (missing == 0) break;
    do following();
    while (done[static_cast<std::size_t>(next)]);
  }
}

struct Block {
  int begin, end;
};
Block block(int rows, int part, int parts, bool rounded_up) {
  const int size = rounded_up ? (rows + parts - 1) / parts : rows / parts;
  const int begin = std::min(part * size, rows);
  const bool rest = !rounded_up && part == parts - 1;
  return {begin, rest ? rows : std::min(begin + size, rows)};
}

// Each slave has a block of rows, and sends each row when it is computed.
void static_slave(Image& image) {
  const Block mine = block(image.rows(), image.rank() - 1, image.ranks() - 1, true);
  for (int row = mine.begin; row < mine.end; ++row) {
    image.compute(row, row + 1);
    image.send_result(row);
  }
}

// The master has a block, too, and slaves send their rows when their block is computed.
int static_with_master(Image& image) {
  const Block mine = block(image.rows(), image.rank(), image.ranks(), false);
  image.compute(mine.begin, mine.end);
  if (image.rank() == 0) return image.rows() - mine.end;
  for (int row = mine.begin; row < mine.end; ++row) image.send_result(row);
  return 0;
}

const std::vector<std::string> schemes = {"dynamic", "tagged", "again", "static", "with-master"};

// Reading MPI_Wtime costs a poll.
double clock() { return emu_active() ? 1e-12 * static_cast<double>(emu_picoseconds()) : MPI_Wtime(); }

// Seconds from the barrier until the master has all rows.
double run_scheme(Image& image, const std::string& scheme) {
  MPI_Barrier(MPI_COMM_WORLD);
  const bool master = image.rank() == 0, tagged = scheme == "tagged", dealt_again = scheme == "again";
  const double begin = clock();
  int left = 0;  // results that the master still receives
  if (scheme == "with-master") {
    left = static_with_master(image);
  } else if (scheme == "static") {
    if (master)
      left = image.rows();
    else
      static_slave(image);
  } else if (!master) {
    slave_of_dealer(image, tagged);
  } else if (dealt_again) {
    again(image);
  } else {
    dynamic(image, tagged);
  }
  for (; left > 0; --left) image.receive_result();
  const double seconds = clock() - begin;
  if (master && dealt_again)  // each slave has a row
    for (int slave = 1; slave < image.ranks(); ++slave) deal_to(image.receive_result().source, -1);
  return seconds;
}

int run(const Options& options, int rank) {
  if (options.cases.empty()) return count_iterations(options, rank);
  const auto refuse = [&](const std::string& what) { return command_line::refuse("field-rows", rank, what); };
  std::ifstream in(options.cases);
  if (!in) return refuse("--cases: " + options.cases + " cannot be opened");
  std::string line;
  for (int number_of_line = 1; std::getline(in, line); ++number_of_line) {
    std::istringstream words(line);
    std::string name, scheme;
    int rows = 0;
    double nanoseconds = 0;
    const std::string where = options.cases + ":" + std::to_string(number_of_line) + ": ";
    if (!(words >> name >> scheme >> rows >> nanoseconds) || rows < 4 || rows > 100'000 || nanoseconds < 0)
      return refuse(where + "expected NAME SCHEME ROWS NANOSECONDS, with 4 to 100000 rows");
    if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end())
      return refuse(where + "unknown scheme: \"" + scheme +
                    "\" (expected dynamic, tagged, again, static or with-master)");
    const auto table = read_table(options.table, rows);
    if (!table) return refuse(table.error().message);
    Image image(*table, 1e-9 * nanoseconds);
    if (image.ranks() < 2) return refuse("invalid number of ranks: 1 (expected 2 or more)");
    const double seconds = run_scheme(image, scheme);
    if (rank == 0) std::printf("%s %.12f\n", name.c_str(), seconds);
  }
  return 0;
}

}  // namespace
}  // namespace field

int main(int argc, char** argv) {
  return command_line::main<field::Options>(
      argc, argv,
      {"field-rows",
       "Usage: field-rows --cases FILE --table FILE\n"
       "       field-rows --table FILE --size N --iterations N --same PART\n"
       "The rows of an image of the Mandelbrot set, computed by a master and slaves. Prints for each case "
       "the "
       "name and\n"
       "the seconds until the master has all rows. The first use reads the table of N rows from FILE-N; the "
       "second one\n"
       "counts the iterations and writes them to FILE. The schemes: dynamic, tagged (the result of a row is "
       "one "
       "message),\n"
       "again (rows that are missing at the end are dealt again), static, with-master (static; the master "
       "computes a\n"
       "block, and results are sent when a block is done).",
       field::add_options, field::read_options, field::run});
}
