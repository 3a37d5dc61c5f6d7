// polls LONGEST: compares the costs of polling with closed forms, in picoseconds. For a target with declared
// computation, a poll of 1 us, and the costs of messages of config/fast-ethernet-64.toml. Rank 0 polls while
// the other ranks wait, compute or poll. Loops have up to LONGEST false answers. The program reports errors.
#include <emu/emu.h>
#include <mpi.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using Picoseconds = std::int64_t;
constexpr Picoseconds us = 1'000'000, poll = us, latency = 50 * us;
constexpr Picoseconds gap_per_byte = 26'800;
constexpr int nothing_tag = 1, data_tag = 2, go_tag = 3, instant_tag = 4;
int self, size, wrong;
long longest;

// A single reading of the clock takes no time.
Picoseconds clock_now() { return emu_picoseconds(); }

void check(const std::string& what, Picoseconds got, Picoseconds expected) {
  if (got == expected) return;
  ++wrong;
  std::printf("rank %d: %s: %lld ps, not %lld\n", self, what.c_str(), static_cast<long long>(got),
              static_cast<long long>(expected));
}

void compute(Picoseconds time) { emu_compute(static_cast<double>(time) * 1e-12); }

// --- ways to poll, each for a message that never comes
struct AlgorithmChoice {
  const char* name;
  std::function<bool()> ask;
};

class Asking {
 public:
  Asking() {
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&data_[i], 1, MPI_INT, MPI_ANY_SOURCE, nothing_tag, MPI_COMM_WORLD, &requests_[i]);
  }
  // The receives are completed by messages of this rank.
  ~Asking() {
    for (int i = 0; i < 2; ++i) MPI_Send(&self, 1, MPI_INT, self, nothing_tag, MPI_COMM_WORLD);
    MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE);
  }
  std::vector<AlgorithmChoice> ways() {
    return {{"MPI_Iprobe", [this] { return iprobe(MPI_ANY_SOURCE); }},
            {"MPI_Iprobe of one source", [this] { return iprobe(size - 1); }},
            {"MPI_Test", [this] { return MPI_Test(&requests_[0], &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
            {"MPI_Testany",
             [this] { return MPI_Testany(2, requests_, &index_, &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
            {"MPI_Testsome",
             [this] {
               MPI_Testsome(2, requests_, &index_, indices_, MPI_STATUSES_IGNORE);
               return index_ != 0;
             }},
            {"MPI_Testall",
             [this] { return MPI_Testall(2, requests_, &flag_, MPI_STATUSES_IGNORE), flag_ != 0; }}};
  }

 private:
  bool iprobe(int source) {
    MPI_Iprobe(source, nothing_tag, MPI_COMM_WORLD, &flag_, MPI_STATUS_IGNORE);
    return flag_ != 0;
  }

  MPI_Request requests_[2];
  int data_[2] = {}, flag_ = 0, index_ = 0, indices_[2];
};

// `times` false answers, with `work` before each.
void ask(const AlgorithmChoice& way, long times, Picoseconds work, const char* others) {
  const Picoseconds begin = clock_now();
  bool there = false;
  for (long i = 0; i < times; ++i) {
    if (work > 0) compute(work);
    there = way.ask() || there;
  }
  const Picoseconds took = clock_now() - begin;
  const std::string what = std::to_string(times) + " times " + way.name +
                           (work > 0 ? " with work between" : "") + ", the others " + others;
  check(what, took, times * (poll + work));
  check(what + ": true answers", there, false);
}

void ask_all(const char* others, long most) {
  Asking asking;
  for (const AlgorithmChoice& way : asking.ways()) {
    for (const long times : {60L, 70L, 80L, 100L, 1000L, longest})
      if (times <= most) ask(way, times, 0, others);
    ask(way, std::min(most, longest / 10), 300'000, others);
  }
}

void read_clocks() {
  const std::vector<AlgorithmChoice> clocks = {{"MPI_Wtime", [] { return MPI_Wtime() < 0; }},
                                               {"clock_gettime",
                                                [] {
                                                  timespec t;
                                                  return clock_gettime(CLOCK_MONOTONIC, &t) != 0;
                                                }},
                                               {"clock_gettime of the date",
                                                [] {
                                                  timespec t;
                                                  return clock_gettime(CLOCK_REALTIME, &t) != 0;
                                                }},
                                               {"gettimeofday",
                                                [] {
                                                  timeval t;
                                                  return gettimeofday(&t, nullptr) != 0;
                                                }},
                                               {"time", [] { return time(nullptr) < 0; }}};
  for (const AlgorithmChoice& clock : clocks)
    for (const long times : {1L, 2L, 60L, 70L, 80L, 1000L}) {
      if (times > longest) continue;
      compute(1);
      const Picoseconds begin = clock_now();
      for (long i = 0; i < times; ++i) clock.ask();
      check(std::to_string(times) + " readings by " + clock.name, clock_now() - begin, times * poll);
    }
}

void tell_all(int tag) {
  for (int to = 1; to < size; ++to) MPI_Send(nullptr, 0, MPI_INT, to, tag, MPI_COMM_WORLD);
}

void wait_for_all(int tag) {
  if (self == 0)
    tell_all(tag);
  else
    MPI_Recv(nullptr, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// --- messages that arrive in the middle of a loop

// Sends, and later reports the end of the send to the receiver.
struct Sent {
  Picoseconds over;
  int bytes;

  Picoseconds arrival() const { return over + latency + (std::max(bytes, 1) - 1) * gap_per_byte; }
};

Sent send_data(int to, int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  MPI_Send(data.data(), bytes, MPI_CHAR, to, data_tag, MPI_COMM_WORLD);
  return {clock_now(), bytes};
}

void tell_instant(int to, const Sent& sent) {
  MPI_Send(&sent, sizeof sent, MPI_BYTE, to, instant_tag, MPI_COMM_WORLD);
}

// Polls until the message has arrived. The first poll at or after its arrival must find it.
struct Seen {
  Picoseconds first;  // poll
  long answers = 0;   // false ones
};

Seen poll_for_data(int from, bool by_test, Picoseconds work) {
  std::vector<char> data(10'000);
  MPI_Request request = MPI_REQUEST_NULL;
  if (by_test) MPI_Irecv(data.data(), 10'000, MPI_CHAR, from, data_tag, MPI_COMM_WORLD, &request);
  Seen seen{clock_now()};
  for (int there = 0; !there; seen.answers += !there) {
    if (seen.answers > 0 && work > 0) compute(work);
    if (by_test)
      MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    else
      MPI_Iprobe(from, data_tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
  if (!by_test) MPI_Recv(data.data(), 10'000, MPI_CHAR, from, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return seen;
}

void check_seen(int from, const Seen& seen, Picoseconds work, const std::string& what) {
  Sent sent;
  MPI_Recv(&sent, sizeof sent, MPI_BYTE, from, instant_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const Picoseconds late = sent.arrival() - seen.first;
  check("false answers before " + what, seen.answers,
        late <= 0 ? 0 : (late + poll + work - 1) / (poll + work));
}

void arrivals() {
  for (const Picoseconds away : {Picoseconds{0}, 3 * us + 1, 100 * us, longest * us / 10 + 7}) {
    for (const bool by_test : {false, true}) {
      for (const Picoseconds work : {Picoseconds{0}, Picoseconds{300'000}}) {
        wait_for_all(go_tag);
        if (self == size - 1) {
          compute(away);
          tell_instant(0, send_data(0, 500));
        } else if (self == 0) {
          const Seen seen = poll_for_data(size - 1, by_test, work);
          check_seen(size - 1, seen, work, "a message that is sent after " + std::to_string(away) + " ps");
        }
      }
    }
  }
}

// Two ranks that poll for each other's messages only.
void poll_each_other() {
  wait_for_all(go_tag);
  const int other = self == 0 ? size - 1 : 0;
  if (self != 0 && self != size - 1) return;
  ask({"MPI_Iprobe of each other",
       [&] {
         int there = 0;
         MPI_Iprobe(other, nothing_tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
         return there != 0;
       }},
      longest / 10, 0, "polling");
  for (int round = 0; round < 20; ++round) {
    const bool by_test = round % 2 == 1;
    Sent sent{};
    Seen seen{};
    if (self == 0) {
      compute(round * 777'777);
      sent = send_data(other, 40 * round);
    }
    seen = poll_for_data(other, by_test, 0);
    if (self != 0) {
      compute(round * 33'333);
      sent = send_data(other, 40 * round + 1);
    }
    // The first message is from rank 0, the second to rank 0.
    if (self == 0) tell_instant(other, sent);
    check_seen(other, seen, 0, "message " + std::to_string(round) + " of two that poll each other");
    if (self != 0) tell_instant(other, sent);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  longest = argc == 2 ? std::atol(argv[1]) : 0;
  if (longest < 100 || size < 2) {
    std::fputs("usage: mpirun -n RANKS polls LONGEST: at least 2 ranks, LONGEST at least 100\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (self == 0) {
    ask_all("waiting", longest);
    read_clocks();
  }
  wait_for_all(go_tag);
  if (self == 0)
    ask_all("computing", longest);
  else
    compute(10'000'000 * us);
  wait_for_all(go_tag);
  if (self == 0) {
    ask_all("in short pieces of work", std::min(longest, 1000L));
  } else {
    for (long i = 0; i < std::min(longest, 1000L); ++i) {
      compute(7 * us);
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, nothing_tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
  }
  arrivals();
  poll_each_other();
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
