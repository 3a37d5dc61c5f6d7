// field-grid: a Jacobi iteration on a periodic grid in three dimensions, and messages around a ring in both directions.
//
// The work is declared: that of the points, and the copies of faces to and from the buffers of messages.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command_line/program.h"

namespace field {
namespace {

namespace po = command_line::po;

struct Options {
  std::string cases;
};

void add_options(po::options_description& options) {
  options.add_options()(
      "cases", command_line::value("FILE"),
      "a line for each: NAME jacobi POINTS NANOSECONDS PICOSECONDS, with the points of an "
      "edge, the time of a point, and that of a copied byte; or NAME ring or NAME ring-in-turn");
}

emu::Result<void> read_options(const command_line::Given& given, int, Options& to) {
  const auto read = command_line::read_text(given, "cases", to.cases);
  if (read && to.cases.empty()) return emu::fail("--cases FILE is missing");
  return read;
}

struct Case {
  std::string name, kind;
  int points = 0;
  double point = 0, copy = 0;  // seconds of a point, and of a byte
};

// Faces are sent one after another: down in each dimension, then up in each.
void jacobi(const Case& c, MPI_Comm grid, const std::array<int, 3>& parts) {
  int rank;
  std::array<int, 3> place, local;
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, place.data());
  for (std::size_t d = 0; d < 3; ++d)
    local[d] = c.points / parts[d] + (place[d] < c.points % parts[d] ? 1 : 0);
  emu_compute(c.point * local[0] * local[1] * local[2]);
  for (const int step : {-1, 1})
    for (std::size_t d = 0; d < 3; ++d) {
      const int face = 8 * local[(d + 1) % 3] * local[(d + 2) % 3];
      std::vector<char> out(static_cast<std::size_t>(face)), in(out.size());
      int from, to;
      MPI_Request request;
      MPI_Cart_shift(grid, static_cast<int>(d), step, &from, &to);
      MPI_Irecv(in.data(), face, MPI_CHAR, from, 0, grid, &request);
      emu_compute(c.copy * face);
      MPI_Send(out.data(), face, MPI_CHAR, to, 0, grid);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      emu_compute(c.copy * face);
    }
}

// Two messages of a number pass all ranks, one in each direction.
void ring(MPI_Comm circle) {
  int ranks, left, right;
  MPI_Comm_size(circle, &ranks);
  MPI_Cart_shift(circle, 0, 1, &left, &right);
  for (int i = 0; i < ranks; ++i) {
    int out[2] = {}, in[2];
    MPI_Request requests[4];
    MPI_Isend(&out[0], 1, MPI_INT, right, 0, circle, &requests[0]);
    MPI_Isend(&out[1], 1, MPI_INT, left, 1, circle, &requests[1]);
    MPI_Irecv(&in[0], 1, MPI_INT, left, 0, circle, &requests[2]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 1, circle, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

// As ring(), with synchronous sends: odd ranks send while even ranks receive. Rank 0 of an odd number alternates.
void ring_in_turn(MPI_Comm circle) {
  int rank, ranks, left, right, number = 0;
  MPI_Comm_rank(circle, &rank);
  MPI_Comm_size(circle, &ranks);
  MPI_Cart_shift(circle, 0, 1, &left, &right);
  const auto send = [&](int to, int tag) { MPI_Ssend(&number, 1, MPI_INT, to, tag, circle); };
  const auto receive = [&](int from, int tag) {
    MPI_Recv(&number, 1, MPI_INT, from, tag, circle, MPI_STATUS_IGNORE);
  };
  const auto sends = [&] { send(right, 0), send(left, 1); };
  const auto receives = [&] { receive(left, 0), receive(right, 1); };
  for (int i = 0; i < ranks; ++i) {
    if (rank % 2 == 1) {
      sends(), receives();
    } else if (ranks % 2 == 0 || rank != 0) {
      receives(), sends();
    } else {
      send(left, 1), receive(right, 1), send(right, 0), receive(left, 0);
    }
  }
}

// Reading MPI_Wtime costs a poll.
double clock() { return emu_active() ? 1e-12 * static_cast<double>(emu_picoseconds()) : MPI_Wtime(); }

// Seconds from one barrier to the end of the next, of the slowest rank; at rank 0.
double run_case(const Case& c) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 3> parts = {};
  const std::array<int, 3> periods = {1, 1, 1};
  const int dimensions = c.kind == "jacobi" ? 3 : 1;
  MPI_Dims_create(ranks, dimensions, parts.data());
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, parts.data(), periods.data(), 0, &grid);
  double longest = 0, seconds = 0;
  for (int round = 0; round < 2; ++round) {
    MPI_Barrier(grid);
    const double begin = clock();
    if (c.kind == "jacobi")
      jacobi(c, grid, parts);
    else
      c.kind == "ring" ? ring(grid) : ring_in_turn(grid);
    MPI_Barrier(grid);
    seconds = clock() - begin;
  }
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
  MPI_Comm_free(&grid);
  return longest;
}

int run(const Options& options, int rank) {
  std::ifstream in(options.cases);
  if (!in) return command_line::refuse("field-grid", rank, "--cases: " + options.cases + " cannot be opened");
  const std::vector<std::string> kinds = {"jacobi", "ring", "ring-in-turn"};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    Case c;
    std::istringstream words(line);
    words >> c.name >> c.kind;
    const bool known = std::find(kinds.begin(), kinds.end(), c.kind) != kinds.end();
    if (known && c.kind == "jacobi") words >> c.points >> c.point >> c.copy;
    if (!known || !words || (c.kind == "jacobi" && (c.points < 1 || c.point < 0 || c.copy < 0)))
      return command_line::refuse("field-grid", rank,
                                  options.cases + ":" + std::to_string(number) +
                                      ": expected NAME jacobi POINTS NANOSECONDS PICOSECONDS, NAME ring or "
                                      "NAME ring-in-turn");
    c.point *= 1e-9;
    c.copy *= 1e-12;
    const double seconds = run_case(c);
    if (rank == 0) std::printf("%s %.12f\n", c.name.c_str(), seconds);
  }
  return 0;
}

}  // namespace
}  // namespace field

int main(int argc, char** argv) {
  return command_line::main<field::Options>(
      argc, argv,
      {"field-grid",
       "Usage: field-grid --cases FILE\n"
       "A Jacobi iteration on a periodic cube, and messages around a ring. Prints for each case the name and "
       "the\n"
       "seconds of the slowest rank, from one barrier to the end of the next.",
       field::add_options, field::read_options, field::run});
}
