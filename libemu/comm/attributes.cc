// Attributes of communicators. The predefined ones about the job come from the process manager. The
// others are MPICH's own, except that their callbacks may call MPI when MPI_Finalize deletes them.

#include "comm/attributes.h"

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

#include "mpi/entry.h"
#include "mpi/native.h"
#include "process/fork/fork_start.h"
#include "process/log.h"
#include "process/start/job.h"

namespace {

// The value of an attribute is an address, so an answer is kept.
struct Answer {
  bool known = false;
  int value = 0;
};

template <class Ask>
Answer asked(Ask ask) {
  // The manager knows only the hosts, not forked ranks.
  if (!emu::mpi::job().manager || emu::mpi::forked_rank()) return {};
  const auto number = ask(emu::mpi::manager());
  if (!number) emu::mpi::stop_job(emu::mpi::of_rank() + number.error().message, 1);
  return {number->has_value(), number->value_or(0)};
}

// Null: not an attribute of the job. One thread at a time asks the manager.
Answer* of_job(int key) {
  if (key != MPI_APPNUM && key != MPI_UNIVERSE_SIZE) return nullptr;
  const emu::mpi::RankLock lock;
  if (key == MPI_APPNUM) {
    // Ranks are forked only if the job has one program.
    static Answer& program = *new Answer(
        emu::mpi::forked_rank() ? Answer{true, 0}
                                : asked([](emu::wire::Pmi& manager) { return manager.program(); }));
    return &program;
  }
  static Answer& universe = *new Answer(asked([](emu::wire::Pmi& manager) { return manager.universe(); }));
  return &universe;
}

// In Fortran, a predefined attribute has another key, and its value is the number itself.
constexpr int in_c(int key_of_fortran) { return key_of_fortran - 1; }

// MPICH checks the communicator, by a query of another attribute. Asked for one of the job, it would report it as
// missing, or look for a process manager.
template <class Look>
int get(MPI_Comm comm, int key, void* value, int* found, Look look) {
  Answer* const answer = !emu::mpi::active() || emu::mpi::inside() ? nullptr : of_job(key);
  if (!answer) return look(comm, key, value, found);
  void* ignored = nullptr;
  if (const int code = look(comm, MPI_TAG_UB, &ignored, found); code != MPI_SUCCESS) return code;
  *found = answer->known;
  if (answer->known) *static_cast<int**>(value) = &answer->value;
  return MPI_SUCCESS;
}

// Attributes that the program has set for communicators which it cannot free, in the order of their setting.
class Lasting {
 public:
  void set(MPI_Comm comm, int key) {
    const std::lock_guard guard(lock_);
    if (find(comm, key) == all_.end()) all_.push_back({comm, key});
  }
  void erase(MPI_Comm comm, int key) {
    const std::lock_guard guard(lock_);
    if (const auto found = find(comm, key); found != all_.end()) all_.erase(found);
  }
  // Removes and returns the key of the last attribute of `comm`.
  std::optional<int> take_last(MPI_Comm comm) {
    const std::lock_guard guard(lock_);
    const auto last = std::find_if(all_.rbegin(), all_.rend(), [&](const One& a) { return a.comm == comm; });
    if (last == all_.rend()) return std::nullopt;
    const int key = last->key;
    all_.erase(std::next(last).base());
    return key;
  }

 private:
  struct One {
    MPI_Comm comm;
    int key;
  };
  std::vector<One>::iterator find(MPI_Comm comm, int key) {
    return std::find_if(all_.begin(), all_.end(),
                        [&](const One& a) { return a.comm == comm && a.key == key; });
  }

  std::mutex lock_;
  std::vector<One> all_;
};

Lasting& lasting() {
  static Lasting& attributes = *new Lasting;  // never destroyed: a destructor may call MPI_Finalize
  return attributes;
}

// True for a successful change by the program.
bool changed(int code) { return code == MPI_SUCCESS && emu::mpi::active() && !emu::mpi::inside(); }

int was_set(MPI_Comm comm, int key, int code) {
  const bool lasts = comm == MPI_COMM_SELF || comm == MPI_COMM_WORLD;
  if (lasts && changed(code)) lasting().set(comm, key);
  return code;
}

int was_deleted(MPI_Comm comm, int key, int code) {
  if (changed(code)) lasting().erase(comm, key);
  return code;
}

}  // namespace

// MPI 4.0, 11.4.1, requires this for MPI_COMM_SELF. MPICH does the same for MPI_COMM_WORLD after that.
void emu::mpi::delete_attributes(const char* call) {
  for (const MPI_Comm comm : {MPI_COMM_SELF, MPI_COMM_WORLD})
    while (const auto key = lasting().take_last(comm)) {
      const Entry entry(call);
      const ProgramRuns callbacks(call);
      PMPI_Comm_delete_attr(comm, *key);
    }
}

extern "C" int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  return was_set(comm, key, PMPI_Comm_set_attr(comm, key, value));
}

extern "C" int MPI_Attr_put(MPI_Comm comm, int key, void* value) {
  return was_set(comm, key, PMPI_Attr_put(comm, key, value));
}

extern "C" int MPI_Comm_delete_attr(MPI_Comm comm, int key) {
  return was_deleted(comm, key, PMPI_Comm_delete_attr(comm, key));
}

extern "C" int MPI_Attr_delete(MPI_Comm comm, int key) {
  return was_deleted(comm, key, PMPI_Attr_delete(comm, key));
}

extern "C" int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  return get(comm, key, value, found, [](auto... all) { return PMPI_Comm_get_attr(all...); });
}

extern "C" int MPI_Attr_get(MPI_Comm comm, int key, void* value, int* found) {
  return get(comm, key, value, found, [](auto... all) { return PMPI_Attr_get(all...); });
}

// Functions that MPICH's Fortran interface calls in its library.

extern "C" int MPII_Comm_set_attr(MPI_Comm comm, int key, void* value, int kind) {
  using Function = int(MPI_Comm, int, void*, int);
  static Function* const set = emu::mpi::real<Function>(__func__);
  return was_set(comm, key, set(comm, key, value, kind));
}

extern "C" int MPII_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found, int kind) {
  using Function = int(MPI_Comm, int, void*, int*, int);
  static Function* const look = emu::mpi::real<Function>(__func__);
  Answer* const answer = !emu::mpi::active() || emu::mpi::inside() ? nullptr : of_job(in_c(key));
  if (!answer) return look(comm, key, value, found, kind);
  if (const int code = look(comm, MPI_TAG_UB, value, found, kind); code != MPI_SUCCESS) return code;
  *found = answer->known;
  *static_cast<MPI_Aint*>(value) = answer->value;
  return MPI_SUCCESS;
}
