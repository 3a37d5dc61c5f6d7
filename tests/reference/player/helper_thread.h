// A second thread of a rank, which executes work for the first thread while the first thread waits.
#pragma once

#include <semaphore.h>

#include <functional>
#include <thread>
#include <utility>

namespace emu::reference {

class HelperThread {
 public:
  HelperThread() {
    sem_init(&given_, 0, 0);
    sem_init(&done_, 0, 0);
    thread_ = std::thread([this] {
      for (;;) {
        sem_wait(&given_);
        if (!work_) return;
        work_();
        sem_post(&done_);
      }
    });
  }
  ~HelperThread() {
    work_ = nullptr;
    sem_post(&given_);
    thread_.join();
    sem_destroy(&given_);
    sem_destroy(&done_);
  }
  HelperThread(const HelperThread&) = delete;

  // Returns when the work is done.
  void run(std::function<void()> work) {
    work_ = std::move(work);
    sem_post(&given_);
    sem_wait(&done_);
  }

 private:
  std::function<void()> work_;
  sem_t given_, done_;
  std::thread thread_;
};

}  // namespace emu::reference
