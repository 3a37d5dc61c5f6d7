#include "process/fork/quick_end.h"

#include "process/fork/fork_start.h"
#include "process/start/program_symbols.h"

namespace emu::mpi {

namespace {

bool allowed = false;
unsigned long long number_of_objects = 0;  // loaded when the ranks were forked

}  // namespace

void allow_quick_end(const LoadedObjects& objects) {
  if (objects.needed.empty() || objects.others) return;
  allowed = true;
  number_of_objects = loaded_objects();
}

bool may_end_quickly() { return allowed && forked_rank() && loaded_objects() == number_of_objects; }

}  // namespace emu::mpi
