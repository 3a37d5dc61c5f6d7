// waits CASE: ranks that wait by polling, so that the awaited event determines the finish, not the polling:
// paths_test.py. A case is a way to poll. For targets with declared computation and 3 ranks or more; a poll is short
// compared with a wait.
#include <emu/emu.h>
#include <mpi.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int data_tag = 1, other_tag = 2, short_message = 8, long_message = 100'000, rounds = 5;
constexpr double ms = 1e-3;
int self, size;
std::vector<char> memory(long_message), second(long_message);

// Each other rank works, longer for higher ranks, and sends.
void send_after_work(int bytes, int tag = data_tag) {
  emu_compute(self * ms);
  MPI_Send(memory.data(), bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

void repeat(const std::function<void()>& master, const std::function<void()>& worker) {
  for (int i = 0; i < rounds; ++i) (self == 0 ? master : worker)();
}

void ask_until(const std::function<bool()>& there) {
  while (!there()) {
  }
}

void take(int source, int tag) {
  MPI_Recv(memory.data(), long_message, MPI_CHAR, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// `between` is called after each false answer.
void probe_each(const std::function<void()>& between, int tag = data_tag, int bytes = short_message) {
  repeat(
      [&] {
        for (int i = 1; i < size; ++i) {
          MPI_Status status;
          ask_until([&] {
            int there = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
            if (!there) between();
            return there != 0;
          });
          take(status.MPI_SOURCE, tag);
        }
      },
      [&] { send_after_work(bytes, tag); });
}

void probe_for_nothing() {
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, other_tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

void matched_probes() {
  repeat(
      [] {
        for (int i = 1; i < size; ++i) {
          MPI_Message message;
          int there = 0;
          while (!there) MPI_Improbe(i, data_tag, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
          MPI_Mrecv(memory.data(), long_message, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        }
      },
      [] { send_after_work(short_message); });
}

// `test`: true if both receives are complete.
void two_receives(int bytes, const std::function<bool(MPI_Request*)>& test) {
  repeat(
      [&] {
        MPI_Request requests[2];
        MPI_Irecv(memory.data(), bytes, MPI_CHAR, 1, data_tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(second.data(), bytes, MPI_CHAR, 2, data_tag, MPI_COMM_WORLD, &requests[1]);
        ask_until([&] { return test(requests); });
      },
      [&] {
        if (self <= 2) send_after_work(bytes);
      });
}

bool test_one_after_another(MPI_Request* requests) {
  for (int i = 0; i < 2; ++i) {
    int over = 0;
    MPI_Test(&requests[i], &over, MPI_STATUS_IGNORE);
  }
  return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
}

bool test_any(MPI_Request* requests) {
  int index = 0, over = 0;
  MPI_Testany(2, requests, &index, &over, MPI_STATUS_IGNORE);
  return over && index == MPI_UNDEFINED;
}

bool test_some(MPI_Request* requests) {
  int count = 0, indices[2];
  MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  return count == MPI_UNDEFINED;
}

bool test_all(MPI_Request* requests) {
  int over = 0;
  MPI_Testall(2, requests, &over, MPI_STATUSES_IGNORE);
  return over != 0;
}

bool test(MPI_Request& request) {
  int over = 0;
  MPI_Test(&request, &over, MPI_STATUS_IGNORE);
  return over != 0;
}

// The sender also polls, for the end of the handshake.
void handshakes() {
  repeat(
      [] {
        MPI_Request request;
        MPI_Irecv(memory.data(), long_message, MPI_CHAR, 1, data_tag, MPI_COMM_WORLD, &request);
        emu_compute(2 * ms);
        ask_until([&] { return test(request); });
      },
      [] {
        if (self != 1) return;
        MPI_Request request;
        MPI_Isend(memory.data(), long_message, MPI_CHAR, 0, data_tag, MPI_COMM_WORLD, &request);
        ask_until([&] { return test(request); });
      });
}

void collective() {
  for (int i = 0; i < rounds; ++i) {
    int sum = 0;
    MPI_Request request;
    emu_compute((size - self) * ms);
    MPI_Iallreduce(&self, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    ask_until([&] { return test(request); });
  }
}

void remote_reads() {
  MPI_Win window;
  MPI_Win_create(memory.data(), long_message, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < rounds; ++i) {
    emu_compute((1 + self) * ms);
    MPI_Request request;
    MPI_Rget(second.data(), long_message, MPI_CHAR, (self + 1) % size, 0, long_message, MPI_CHAR, window,
             &request);
    ask_until([&] { return test(request); });
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

void sleep_a_microsecond() {
  const timespec us{0, 1000};
  nanosleep(&us, nullptr);
}

const std::map<std::string, std::function<void()>> cases = {
    {"probe", [] { probe_each([] {}); }},
    {"probe-long", [] { probe_each([] {}, data_tag, long_message); }},
    {"probe-two-tags", [] { probe_each(probe_for_nothing); }},
    {"probe-and-clock", [] { probe_each([] { MPI_Wtime(); }); }},
    {"probe-and-work", [] { probe_each([] { emu_compute(50e-9); }); }},
    {"probe-and-sleep", [] { probe_each(sleep_a_microsecond); }},
    {"matched-probe", matched_probes},
    {"test", [] { two_receives(short_message, test_one_after_another); }},
    {"test-any", [] { two_receives(short_message, test_any); }},
    {"test-some", [] { two_receives(short_message, test_some); }},
    {"test-all", [] { two_receives(short_message, test_all); }},
    {"test-all-long", [] { two_receives(long_message, test_all); }},
    {"handshake", handshakes},
    {"collective", collective},
    {"remote-read", remote_reads},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto found = argc == 2 ? cases.find(argv[1]) : cases.end();
  if (found == cases.end() || size < 3) {
    std::fputs("usage: mpirun -n RANKS waits CASE: at least 3 ranks; cases:", stderr);
    for (const auto& [name, act] : cases) std::fprintf(stderr, " %s", name.c_str());
    std::fputs("\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  found->second();
  MPI_Finalize();
}
