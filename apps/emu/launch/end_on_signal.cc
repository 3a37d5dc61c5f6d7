#include "launch/end_on_signal.h"

#include <pthread.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace emu::app {

EndOnSignal::EndOnSignal(const TemporaryFolder& folder)
    : thread_([this, path = folder.file("")] {
        while (!over_) {
          const auto signal = signals_.wait();
          if (!signal || signal->si_signo == SIGPIPE) continue;  // the writer sees that its reader has gone
          std::error_code ignored;
          std::filesystem::remove_all(path, ignored);
          _exit(128 + signal->si_signo);
        }
      }) {}

EndOnSignal::~EndOnSignal() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGCHLD);  // ends a wait, and nothing else
  thread_.join();
}

}  // namespace emu::app
