// Recorder of one process: the state behind the entry points of this folder.
//
// Each entry point calls the next definition of its function: libemu's, and then the clock is that of the
// target; or MPICH's. Only the thread that called MPI_Init is recorded, and no call inside another.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/next.h"
#include "skeleton/recorder/clock.h"
#include "skeleton/recorder/writer.h"
#include "skeleton/recording/call.h"

namespace emu::skeleton {

class Recorder {
 public:
  // Called at the end of MPI_Init. Without effect if the environment names no folder (EMU_SKELETON).
  void start();
  // Called at the beginning of MPI_Finalize.
  void finish();

  bool active() const { return active_; }
  // The program's computation ends here. Returns true if this call is the program's own.
  bool enter();
  // The call is done: it is recorded, or not; in the latter case its time counts as neither work nor event.
  void leave(const Call& call);
  void leave();
  // The program calls a function that a skeleton cannot contain.
  void refuse(const char* function);
  // A declaration by emu_compute.
  void declare(double seconds) {
    declared_ += seconds;
    any_declared_ = true;
  }

  // Numbers of communicators and requests.
  std::int32_t number(MPI_Comm comm);
  std::int32_t add(MPI_Comm comm);
  void remove(MPI_Comm comm);
  std::int32_t begin_request(MPI_Request request, bool of_any = false);
  // Returns its slot, which is then free; -1 if the request is unknown. `of_any`: it receives from any source.
  std::int32_t end_request(MPI_Request request, bool* of_any = nullptr);

 private:
  std::uint32_t call_number(const Call& call);
  std::uint32_t number_of_another(const Call& call);
  void put_event(std::uint32_t call, double inside);

  bool active_ = false;
  bool emulated_ = false;
  pthread_t thread_{};
  int depth_ = 0;
  Writer writer_;
  Clock clock_;
  double begin_ = 0, last_ = 0, entered_ = 0;  // readings of the clock
  double computed_ = 0, declared_ = 0;         // since the last event
  bool any_declared_ = false;
  // Calls with numbers. If there are too many they are forgotten, and defined again at their next occurrence.
  std::unordered_map<Call, std::uint32_t, CallHash> numbers_;
  std::uint32_t next_number_ = 0;
  struct Known {
    Call call;  // of Function::nothing: none
    std::uint32_t number = 0;
  };
  std::array<Known, 64> recent_;
  std::map<MPI_Comm, std::int32_t> comms_;
  std::int32_t next_comm_ = 2;
  std::pair<MPI_Comm, std::int32_t> last_comm_{MPI_COMM_WORLD, world};
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    bool of_any = false;
  };
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::int32_t> slot_of_;  // if there are too many for a linear search
};

extern Recorder recorder;

// The next definition of the function `name`, looked up once for each entry point.
template <class Function>
Function* next_function(const char* name) {
  Function* const found = next<Function>(name);
  if (!found) {
    static_cast<void>(std::fprintf(stderr, "emu: error: %s was not found behind libemu-skeleton.so\n", name));
    std::abort();
  }
  return found;
}
#define EMU_NEXT(function) \
  static const auto next = emu::skeleton::next_function<decltype(MPI_##function)>("MPI_" #function)

// Bytes of `count` elements; the size of an element.
std::int64_t bytes_of(std::int64_t count, MPI_Datatype type);
std::int32_t unit_of(MPI_Datatype type);
// A rank in the form used by calls.
inline std::int32_t peer_of(int rank) {
  if (rank == MPI_PROC_NULL) return none;
  return rank == MPI_ANY_SOURCE ? any : rank;
}
inline std::int32_t tag_of(int tag) { return tag == MPI_ANY_TAG ? any : tag; }

}  // namespace emu::skeleton
