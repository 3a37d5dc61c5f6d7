// std::chrono shows the target's time; emu.h works from C++; one thread may call MPI. Exit code 0 if all checks
// succeed.
#include <emu/emu.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

int failures = 0;

template <class Clock>
void passes(const char* name) {
  const auto begin = Clock::now();
  emu_compute(250);
  const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
  if (std::abs(passed - 250) < 2e-6) return;
  std::fprintf(stderr, "FAILED: %s: %.9f s instead of 250\n", name, passed);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "FAILED: level of threads %d instead of MPI_THREAD_MULTIPLE\n", provided);
    ++failures;
  }
  passes<std::chrono::system_clock>("system_clock");
  passes<std::chrono::steady_clock>("steady_clock");
  passes<std::chrono::high_resolution_clock>("high_resolution_clock");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < deadline) continue;
  MPI_Finalize();
  return failures != 0;
}
