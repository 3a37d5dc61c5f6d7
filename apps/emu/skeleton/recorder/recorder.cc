#include "skeleton/recorder/recorder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emu/emu.h"
#include "skeleton/recording/trace.h"
#include "skeleton/recording/work.h"

namespace emu::skeleton {

Recorder recorder;

namespace {

constexpr std::size_t most_calls = 1 << 16;  // limit of remembered calls
constexpr std::size_t few = 16;              // requests that are searched linearly

std::uint64_t picoseconds(double seconds) {
  return seconds > 0 ? static_cast<std::uint64_t>(std::llround(1e12 * seconds)) : 0;
}

std::uint64_t key_of(MPI_Request request) {
  std::uint64_t key = 0;
  std::memcpy(&key, &request, std::min(sizeof key, sizeof request));
  return key;
}

[[noreturn]] void stop(const std::string& message) {
  static_cast<void>(std::fprintf(stderr, "emu: error: %s\n", message.c_str()));
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

double system_seconds() {
  EMU_NEXT(Wtime);
  return next();
}

// Units of work in a second of this machine: the best of a few short trials, because disturbances only add time.
double measure_work() {
  double best = 0;
  for (int trial = 0; trial < 5; ++trial) {
    constexpr long units = 200'000;
    const double begin = system_seconds();
    emu_work(units);
    const double taken = system_seconds() - begin;
    if (taken > 0) best = std::max(best, static_cast<double>(units) / taken);
  }
  return best;
}

}  // namespace

void Recorder::start() {
  // The recorder's own setting, not libemu's: the only place where it reads the environment.
  const char* folder = std::getenv("EMU_SKELETON");
  if (!folder || !*folder) return;
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (const std::string error = writer_.open(std::string(folder) + "/rank." + std::to_string(rank));
      !error.empty())
    stop(error);
  writer_.number(static_cast<std::uint64_t>(rank));
  writer_.number(static_cast<std::uint64_t>(ranks));
  writer_.flush();  // the record exists even if the program does not continue
  comms_ = {{MPI_COMM_WORLD, world}, {MPI_COMM_SELF, self}};
  emulated_ = emu_active() != 0;
  thread_ = pthread_self();
  active_ = true;
  clock_.start(emulated_, system_seconds);
  begin_ = last_ = clock_.now();
}

void Recorder::finish() {
  if (!active_) return;
  Call last;
  last.function = Function::finalize;
  enter();
  const double end = entered_;
  put_event(call_number(last), 0);
  active_ = false;
  writer_.number(end_record);
  writer_.number(picoseconds(end - begin_));
  writer_.number(emulated_ ? 0 : static_cast<std::uint64_t>(measure_work() / 1e3));
  if (const std::string error = writer_.close(); !error.empty()) stop(error);
}

bool Recorder::enter() {
  if (!active_ || depth_++ > 0 || !pthread_equal(pthread_self(), thread_)) return false;
  entered_ = clock_.now();
  // Declared work replaces the elapsed time.
  if (!any_declared_ || !emulated_) computed_ += entered_ - last_;
  return true;
}

void Recorder::leave() {
  if (!active_) return;
  if (--depth_ == 0) last_ = clock_.now();
}

void Recorder::leave(const Call& call) {
  if (!active_) return;
  --depth_;
  last_ = clock_.now();
  put_event(call_number(call), last_ - entered_);
}

void Recorder::put_event(std::uint32_t call, double inside) {
  const bool declared = any_declared_ && emulated_;
  writer_.number(declared ? declared_record : event_record);
  writer_.number(call);
  if (declared) writer_.number(picoseconds(declared_));
  writer_.number(picoseconds(computed_));
  writer_.number(picoseconds(inside));
  computed_ = declared_ = 0;
  any_declared_ = false;
}

std::uint32_t Recorder::call_number(const Call& call) {
  // Most programs repeat a few different calls.
  const auto place = static_cast<std::size_t>(
      static_cast<std::uint32_t>(call.function) + 5 * static_cast<std::uint32_t>(call.peer) +
      3 * static_cast<std::uint32_t>(call.tag) + 7 * static_cast<std::uint32_t>(call.slot) +
      static_cast<std::uint32_t>(call.bytes >> 3) +
      11 * static_cast<std::uint32_t>(call.list.empty() ? 0 : call.list.front()));
  Known& recent = recent_[place % recent_.size()];
  if (recent.call == call) return recent.number;
  recent = {call, number_of_another(call)};
  return recent.number;
}

std::uint32_t Recorder::number_of_another(const Call& call) {
  if (const auto known = numbers_.find(call); known != numbers_.end()) return known->second;
  if (numbers_.size() == most_calls) numbers_.clear();
  writer_.number(call_record);
  writer_.call(call);
  numbers_.emplace(call, next_number_);
  return next_number_++;
}

void Recorder::refuse(const char* function) {
  if (!active_ || depth_ > 0) return;
  writer_.number(unknown_record);
  writer_.letters(function);
}

std::int32_t Recorder::number(MPI_Comm comm) {
  if (comm == last_comm_.first) return last_comm_.second;
  const auto found = comms_.find(comm);
  if (found == comms_.end()) return world;  // the next definition reports the error
  last_comm_ = *found;
  return found->second;
}

std::int32_t Recorder::add(MPI_Comm comm) {
  const std::int32_t number = next_comm_++;
  if (comm != MPI_COMM_NULL) comms_[comm] = number;
  last_comm_ = {MPI_COMM_WORLD, world};
  return number;
}

void Recorder::remove(MPI_Comm comm) {
  comms_.erase(comm);
  last_comm_ = {MPI_COMM_WORLD, world};
}

std::int32_t Recorder::begin_request(MPI_Request request, bool of_any) {
  std::size_t slot = 0;
  while (slot < slots_.size() && slots_[slot].request != MPI_REQUEST_NULL) ++slot;
  if (slot == slots_.size()) slots_.emplace_back();
  slots_[slot] = {request, of_any};
  if (slots_.size() > few) {
    if (slot_of_.empty())
      for (std::size_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].request != MPI_REQUEST_NULL)
          slot_of_[key_of(slots_[i].request)] = static_cast<std::int32_t>(i);
    slot_of_[key_of(request)] = static_cast<std::int32_t>(slot);
  }
  return static_cast<std::int32_t>(slot);
}

std::int32_t Recorder::end_request(MPI_Request request, bool* of_any) {
  if (request == MPI_REQUEST_NULL) return -1;
  std::size_t slot = slots_.size();
  if (slots_.size() <= few) {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].request == request) slot = i;
  } else if (const auto found = slot_of_.find(key_of(request)); found != slot_of_.end()) {
    slot = static_cast<std::size_t>(found->second);
    slot_of_.erase(found);
  }
  if (slot == slots_.size()) return -1;
  if (of_any) *of_any = slots_[slot].of_any;
  slots_[slot] = {};
  return static_cast<std::int32_t>(slot);
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) { return count * unit_of(type); }

std::int32_t unit_of(MPI_Datatype type) {
  int size = 1;
  PMPI_Type_size(type, &size);
  return size;
}

}  // namespace emu::skeleton
