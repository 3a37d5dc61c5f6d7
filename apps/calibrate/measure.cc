#include "measure.h"

#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>

#include "buffers.h"
#include "kernel.h"

namespace calibrate {
namespace {

constexpr int command_tag = 1;
constexpr int data_tag = 2;

enum class Act : int { echo, reply, late, absorb, end };

// The next order to the partner.
struct Command {
  Act act = Act::end;
  int count = 0;
  std::int64_t bytes = 0;
  double delay = 0;  // seconds
  bool warm = false;
};

std::unique_ptr<Buffers>& buffers() {
  static auto all = std::make_unique<Buffers>();
  return all;
}

void send(int to, std::int64_t bytes) {
  MPI_Send(buffers()->next(bytes), static_cast<int>(bytes), MPI_BYTE, to, data_tag, MPI_COMM_WORLD);
}

void receive(int from, std::int64_t bytes) {
  MPI_Recv(buffers()->next(bytes), static_cast<int>(bytes), MPI_BYTE, from, data_tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

void order(int partner, const Command& command) {
  MPI_Send(&command, sizeof command, MPI_BYTE, partner, command_tag, MPI_COMM_WORLD);
}

// Prepares the buffers for the messages of `command`, and for the messages that begin and end it.
void prepare(const Command& command) {
  buffers()->stay(command.warm);
  buffers()->prepare(2 * std::int64_t{command.count} + 2, command.bytes);
}

// Lets time pass outside of MPI, so that nothing is received meanwhile.
void wait(double seconds) {
  if (emu_active()) return emu_compute(seconds * 1000);  // enough on a CPU a thousand times as fast
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// 0 and the powers of two.
std::vector<std::int64_t> sizes(std::int64_t longest) {
  std::vector<std::int64_t> result{0};
  for (std::int64_t k = 1; k <= longest; k *= 2) result.push_back(k);
  return result;
}

class Prober {
 public:
  Prober(int partner, const Extent& extent, const std::function<void()>& step)
      : partner_(partner), extent_(extent), step_(step) {}

  Measurement run() {
    rounds(1, nullptr, nullptr);  // connects
    for (std::int64_t k : sizes(extent_.longest)) messages(k);
    limit();
    burst();
    train();
    poll();
    cpu();
    return std::move(result_);
  }

 private:
  // Natively, each size takes about a quarter of a second. An emulated run gives the same result each time.
  int repeats(double once) const {
    if (emu_active()) return 1;
    const double budget = extent_.quick ? 0.05 : 0.25;
    return std::clamp(static_cast<int>(budget / std::max(once, 1e-7)), 5, 200);
  }

  double rounds(std::int64_t bytes, std::vector<double>* sends, std::vector<double>* both_ways,
                int count = 3) {
    begin({Act::echo, count, bytes, 0});
    std::vector<double> all;
    for (int i = 0; i < count; ++i) {
      wait(pause_);
      const double begin = clock_seconds();
      send(partner_, bytes);
      const double sent = clock_seconds();
      receive(partner_, bytes);
      const double end = clock_seconds();
      all.push_back(end - begin);
      if (sends) sends->push_back(sent - begin);
    }
    if (both_ways) *both_ways = all;
    return median(all);
  }

  void messages(std::int64_t bytes) {
    const double once = rounds(bytes, nullptr, nullptr);
    pause_ = std::max(pause_, std::min(once, 1e-3));  // longer than any gap that matters
    const int count = repeats(once);
    Sample send_sample{"send", bytes, {}}, round_sample{"round", bytes, {}},
        receive_sample{"receive", bytes, {}};
    const double both_ways = rounds(bytes, &send_sample.seconds, &round_sample.seconds, count);
    receives(bytes, both_ways, count, receive_sample);
    round_trip_.push_back({bytes, both_ways});
    for (Sample* sample : {&send_sample, &receive_sample, &round_sample}) result_.samples.push_back(*sample);
    if (extent_.cold) messages_of_warm_buffers(bytes, both_ways, count);
    step_();
  }

  void receives(std::int64_t bytes, double both_ways, int count, Sample& sample) {
    for (int i = 0; i < std::max(1, count / 2); ++i) {
      begin({Act::reply, 1, bytes, 0});
      wait(2 * both_ways + 1e-4);
      const double begin = clock_seconds();
      receive(partner_, bytes);
      sample.seconds.push_back(clock_seconds() - begin);
    }
  }

  void messages_of_warm_buffers(std::int64_t bytes, double both_ways, int count) {
    Sample sends{"warm-send", bytes, {}}, receive_sample{"warm-receive", bytes, {}};
    warm_ = true;
    rounds(bytes, &sends.seconds, nullptr, count);
    receives(bytes, both_ways, count, receive_sample);
    warm_ = false;
    for (Sample* sample : {&sends, &receive_sample}) result_.samples.push_back(*sample);
  }

  // The partner prepares its buffers before the first message, and says when it has.
  void begin(Command command) {
    command.warm = warm_;
    order(partner_, command);
    prepare(command);
    if (extent_.cold) receive(partner_, 1);
  }

  double round_trip(std::int64_t bytes) const {
    for (const auto& [k, seconds] : round_trip_)
      if (k >= bytes) return seconds;
    return round_trip_.back().second;
  }

  // True if a send of `bytes` waits for a late receive. A single send that does not wait proves the contrary.
  bool synchronous(std::int64_t bytes) {
    for (int i = 0; i < (emu_active() ? 1 : 3); ++i) {
      const double delay = 2.5 * round_trip(bytes) + 2e-3;  // the wire alone takes less than half of it
      begin({Act::late, 1, bytes, delay});
      const double begin = clock_seconds();
      send(partner_, bytes);
      const double taken = clock_seconds() - begin;
      receive(partner_, 1);  // it has been received
      if (taken < delay / 2) return false;
    }
    return true;
  }

  void limit() {
    std::int64_t asynchronous = 0, waits = extent_.longest;
    if (extent_.limit_known || !synchronous(extent_.longest)) {
      result_.eager_limit = extent_.limit;
      return step_();
    }
    while (waits - asynchronous > 1) {
      const std::int64_t middle = (asynchronous + waits) / 2;
      (synchronous(middle) ? waits : asynchronous) = middle;
    }
    result_.eager_limit = asynchronous;
    step_();
  }

  // Time per message from the end of the first send to the end of the last.
  void burst() {
    constexpr int count = 33;
    Sample sample{"burst", 1, {}};
    for (int i = 0; i < repeats(1e-2); ++i) {
      begin({Act::absorb, count, 1, 0});
      wait(2 * round_trip(1) + pause_);
      send(partner_, 1);
      const double begin = clock_seconds();
      for (int n = 1; n < count; ++n) send(partner_, 1);
      sample.seconds.push_back((clock_seconds() - begin) / (count - 1));
      receive(partner_, 1);
    }
    result_.samples.push_back(sample);
    step_();
  }

  // With the longest messages that need no handshake: the delay of the answer for each additional message.
  void train() {
    const std::int64_t bytes =
        result_.eager_limit < 0 ? extent_.longest / 4 : std::min(result_.eager_limit, extent_.longest);
    if (bytes < 1024) return step_();
    constexpr int count = 17;
    Sample sample{"train", bytes, {}};
    const auto till_answer = [&](int messages) {
      begin({Act::absorb, messages, bytes, 0});
      wait(2 * round_trip(1) + pause_);
      const double begin = clock_seconds();
      for (int n = 0; n < messages; ++n) send(partner_, bytes);
      receive(partner_, 1);
      return clock_seconds() - begin;
    };
    for (int i = 0; i < std::min(9, repeats(count * round_trip(bytes))); ++i) {
      const double one = till_answer(1), many = till_answer(count);
      sample.seconds.push_back((many - one) / (count - 1));
    }
    result_.samples.push_back(sample);
    step_();
  }

  // So few polls in a row that each is answered individually.
  void poll() {
    constexpr int count = 32;
    Sample sample{"poll", 0, {}};
    for (int i = 0; i < repeats(1e-3); ++i) {
      rounds(1, nullptr, nullptr, 1);
      int flag = 0;
      const double begin = clock_seconds();
      for (int n = 0; n < count; ++n)
        MPI_Iprobe(partner_, data_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      sample.seconds.push_back((clock_seconds() - begin) / count);
    }
    result_.samples.push_back(sample);
    step_();
  }

  void cpu() {
    Sample sample{"kernel", 0, {}};
    if (emu_active()) {  // the time is declared, so that it can be measured with any target
      const double begin = clock_seconds();
      emu_compute(reference_seconds);
      sample.seconds.push_back(clock_seconds() - begin);
    } else {
      for (int i = 0; i < 3; ++i) sample.seconds.push_back(kernel_cpu_seconds());
    }
    result_.samples.push_back(sample);
    step_();
  }

  const int partner_;
  const Extent& extent_;
  const std::function<void()>& step_;
  double pause_ = 1e-4;  // seconds before each round
  bool warm_ = false;    // the messages have warm buffers in any case
  std::vector<std::pair<std::int64_t, double>> round_trip_;
  Measurement result_;
};

// The answer ensures that the connection to a rank that only slept is complete: MPICH 4.0.2 over UCX 1.13's tcp
// does not return from MPI_Finalize while a connection is being made.
// An emulated cluster has no caches.
std::unique_ptr<Buffers> new_buffers(const Extent& extent) {
  return std::make_unique<Buffers>(extent.longest, extent.cold, emu_active() ? 1 : cache_bytes());
}

void end() {
  send(0, 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

double clock_seconds() { return emu_active() ? static_cast<double>(emu_picoseconds()) * 1e-12 : MPI_Wtime(); }

int steps(const Extent& extent) { return static_cast<int>(sizes(extent.longest).size()) + 5; }

Measurement measure(int partner, const Extent& extent, const std::function<void()>& step) {
  buffers() = new_buffers(extent);
  return Prober(partner, extent, step).run();
}

void answer(const Extent& extent) {
  buffers() = new_buffers(extent);
  for (;;) {
    Command command;
    MPI_Recv(&command, sizeof command, MPI_BYTE, 0, command_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (command.act == Act::end) return end();
    prepare(command);
    if (extent.cold) send(0, 1);
    if (command.act == Act::late) wait(command.delay);
    for (int i = 0; i < command.count; ++i) {
      if (command.act != Act::reply) receive(0, command.bytes);
      if (command.act == Act::echo || command.act == Act::reply) send(0, command.bytes);
    }
    if (command.act == Act::late || command.act == Act::absorb) send(0, 1);
  }
}

// Waiting inside MPI would keep a core busy and disturb the measurement. Emulated ranks that wait sleep anyway.
void idle() {
  Command command;
  int there = emu_active();
  while (!there) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
    MPI_Iprobe(0, command_tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
  MPI_Recv(&command, sizeof command, MPI_BYTE, 0, command_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  end();
}

void dismiss(int ranks) {
  for (int rank = 1; rank < ranks; ++rank) {
    order(rank, {});
    receive(rank, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace calibrate
