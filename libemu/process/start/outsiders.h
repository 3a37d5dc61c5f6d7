// Ranks that have ended without MPI_Init. A process manager does not end the job because of them, and the other ranks
// would wait for them in MPI_Init for ever.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace emu::mpi {

// While an object exists, a thread looks for such ranks once a second.
class OutsiderWatch {
 public:
  // `ranks`: all ranks that the process manager at the other end of the socket `connection` has started on this
  // machine. `found` is called once, on the thread, with those that have ended.
  OutsiderWatch(int connection, std::vector<int> ranks, std::function<void(const std::vector<int>&)> found);
  ~OutsiderWatch();
  OutsiderWatch(const OutsiderWatch&) = delete;

 private:
  void run();

  const int connection_;
  const std::vector<int> ranks_;
  const std::function<void(const std::vector<int>&)> found_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// The message about ranks that have ended; `waiting`: a rank that waits for them.
std::string never_come(const std::vector<int>& ended, int waiting);

// Ends the job with this message. The first of `ranks` that has not ended writes it; since that may still compute
// before MPI_Init, the others, such as `own`, wait for it for ten seconds only.
[[noreturn]] void stop_for(const std::vector<int>& ended, const std::vector<int>& ranks, int own);

}  // namespace emu::mpi
