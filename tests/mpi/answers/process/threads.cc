// Several threads of each rank call MPI concurrently, each on its own communicators or for its own messages.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "answers.h"

namespace {

int rank, size;

// Runs `body(i)` on `count` threads, while the calling thread waits for their ends.
void side_by_side(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

std::vector<MPI_Comm> communicators(int count) {
  std::vector<MPI_Comm> made(static_cast<std::size_t>(count));
  for (MPI_Comm& comm : made) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return made;
}
void release(std::vector<MPI_Comm>& made) {
  for (MPI_Comm& comm : made) MPI_Comm_free(&comm);
}

void levels() {
  int level = -1, first = -1, other = -1;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&first);
  std::thread([&] { MPI_Is_thread_main(&other); }).join();
  show("multiple", level == MPI_THREAD_MULTIPLE);
  show("the first", first);
  show("another", other);
}

// Round trips between neighbours with short and long messages.
void ping_pong(int threads, int count) {
  auto comms = communicators(threads);
  std::vector<long long> sums(static_cast<std::size_t>(threads));
  side_by_side(threads, [&](int i) {
    const auto t = static_cast<std::size_t>(i);
    const int peer = rank ^ 1;
    if (peer >= size) return;
    std::vector<int> values(static_cast<std::size_t>(count), 1);
    for (int round = 0; round < 20; ++round) {
      if (rank < peer) {
        MPI_Send(values.data(), count, MPI_INT, peer, round, comms[t]);
        MPI_Recv(values.data(), count, MPI_INT, peer, round, comms[t], MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(values.data(), count, MPI_INT, peer, round, comms[t], MPI_STATUS_IGNORE);
        for (int& value : values) value += i + 1;
        MPI_Send(values.data(), count, MPI_INT, peer, round, comms[t]);
      }
    }
    for (const int value : values) sums[t] += value;
  });
  show(numbered("ping-pong", count), sums);
  release(comms);
}

// A thread receives all messages while the first thread computes and sends.
void receiver() {
  constexpr int each = 10;
  auto comms = communicators(1);
  long long sum = 0;
  std::thread receiver([&] {
    for (int i = 0; i < (size - 1) * each; ++i) {
      int value = 0;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &status);
      sum += value * 100 + status.MPI_SOURCE;
    }
  });
  volatile double work = 1;
  for (int i = 0; i < each; ++i) {
    for (int k = 0; k < 10000; ++k) work = work * 1.0001;
    for (int to = 0; to < size; ++to)
      if (to != rank) MPI_Send(&i, 1, MPI_INT, to, i, comms[0]);
  }
  receiver.join();
  show("received", sum);
  release(comms);
}

// A thread for each peer, all on one communicator.
void thread_per_peer() {
  constexpr int count = 30000;
  std::vector<long long> sums(static_cast<std::size_t>(size));
  side_by_side(size, [&](int peer) {
    std::vector<int> out(count, rank * size + peer), in(count);
    MPI_Sendrecv(out.data(), count, MPI_INT, peer, 7, in.data(), count, MPI_INT, peer, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (const int value : in) sums[static_cast<std::size_t>(peer)] += value;
  });
  show("peers", sums);
}

void collectives() {
  constexpr int threads = 3;
  auto comms = communicators(threads);
  std::vector<long long> sums(threads);
  side_by_side(threads, [&](int i) {
    const auto t = static_cast<std::size_t>(i);
    for (int round = 0; round < 10; ++round) {
      int own = rank + i, sum = 0;
      MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comms[t]);
      MPI_Bcast(&sum, 1, MPI_INT, round % size, comms[t]);
      MPI_Barrier(comms[t]);
      MPI_Request request = MPI_REQUEST_NULL;
      int most = 0;
      MPI_Iallreduce(&own, &most, 1, MPI_INT, MPI_MAX, comms[t], &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      sums[t] = sums[t] * 3 + sum + most;
    }
  });
  show("collectives", sums);
  release(comms);
}

// Two threads probe for messages, and each receives the messages that it finds.
void matched() {
  constexpr int each = 12;
  auto comms = communicators(1);
  std::vector<long long> sums(2);
  std::thread sender([&] {
    for (int i = 0; i < 2 * each; ++i) MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, i % 3, comms[0]);
  });
  side_by_side(2, [&](int i) {
    for (int k = 0; k < each; ++k) {
      MPI_Message message = MPI_MESSAGE_NULL;
      int value = 0;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      sums[static_cast<std::size_t>(i)] += value;
    }
  });
  sender.join();
  show("matched", sums[0] + sums[1]);
  release(comms);
}

// One thread probes for long messages repeatedly while other threads wait for theirs.
void looking() {
  constexpr int threads = 3, count = 300000;
  auto comms = communicators(threads);
  std::vector<long long> sums(threads);
  side_by_side(threads, [&](int i) {
    const auto t = static_cast<std::size_t>(i);
    const int peer = rank ^ 1;
    if (peer >= size) return;
    std::vector<int> values(count, i);
    for (int round = 0; round < 20; ++round) {
      if (rank < peer) {
        MPI_Send(values.data(), count, MPI_INT, peer, round, comms[t]);
        continue;
      }
      int found = i == 0;
      while (!found) MPI_Iprobe(peer, round, comms[t], &found, MPI_STATUS_IGNORE);
      MPI_Recv(values.data(), count, MPI_INT, peer, round, comms[t], MPI_STATUS_IGNORE);
      for (const int value : values) sums[t] += value;
    }
  });
  show("looking", sums);
  release(comms);
}

// A thread that may call MPI sleeps until the first thread, which waits for messages, wakes it.
void asleep() {
  std::mutex lock;
  std::condition_variable wakes;
  bool done = false;
  std::thread sleeper([&] {
    std::unique_lock guard(lock);
    wakes.wait(guard, [&] { return done; });
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD);
  });
  long long sum = 0;
  for (int round = 0; round < 5; ++round) {
    int value = -1;
    if (rank == 0) {
      for (int i = 1; i < size; ++i) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
      }
      for (int to = 1; to < size; ++to) MPI_Send(&round, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    } else {
      MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += value;
    }
  }
  {
    const std::lock_guard guard(lock);
    done = true;
  }
  wakes.notify_one();
  int last = -1;
  MPI_Recv(&last, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sleeper.join();
  show("asleep", sum);
  show("awake", last);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  open_answers(rank);
  show("provided", provided);
  levels();
  ping_pong(3, 1);
  ping_pong(2, 30000);
  receiver();
  thread_per_peer();
  collectives();
  matched();
  looking();
  asleep();
  MPI_Finalize();
  return 0;
}
