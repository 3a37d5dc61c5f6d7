// Calls by which the program makes the C library create threads (SIGEV_THREAD). These do not pass
// pthread_create(): the registry learns that there may be some, and registers each when it calls MPI.

#include "process/threads/system_threads.h"

#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/next.h"
#include "process/threads/thread_registry.h"

namespace {

using emu::next;

// Timers that create a thread.
struct Timers {
  std::mutex lock;
  std::vector<timer_t> all;
};
Timers& timers() {
  static Timers& all = *new Timers;
  return all;
}

// The program requests `event`, which may create threads from here on.
void expect_threads(const sigevent* event) {
  if (!event || event->sigev_notify != SIGEV_THREAD || emu::mpi::caller.ours) return;
  emu::mpi::make_threads([] { emu::mpi::threads().expects_unseen(); }, [](emu::Instant) {});
}

template <class Operation>
int start_operation(const char* name, Operation* operation) {
  expect_threads(&operation->aio_sigevent);
  return next<int(Operation*)>(name)(operation);
}

template <class Operation>
int sync_operation(const char* name, int how, Operation* operation) {
  expect_threads(&operation->aio_sigevent);
  return next<int(int, Operation*)>(name)(how, operation);
}

template <class Operation>
int start_operations(const char* name, int mode, Operation* const list[], int count, sigevent* event) {
  if (mode == LIO_NOWAIT) expect_threads(event);
  for (int i = 0; i < count; ++i)
    if (list[i]) expect_threads(&list[i]->aio_sigevent);
  return next<int(int, Operation* const[], int, sigevent*)>(name)(mode, list, count, event);
}

}  // namespace

bool emu::mpi::timers_run() {
  static const auto left = next<int(timer_t, itimerspec*)>("timer_gettime");
  const std::lock_guard guard(timers().lock);
  return std::any_of(timers().all.begin(), timers().all.end(), [](timer_t timer) {
    itimerspec now{};
    return left(timer, &now) == 0 && (now.it_value.tv_sec != 0 || now.it_value.tv_nsec != 0);
  });
}

extern "C" int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  static const auto real = next<int(clockid_t, sigevent*, timer_t*)>("timer_create");
  expect_threads(event);
  const int code = real(clock, event, timer);
  if (code == 0 && event && event->sigev_notify == SIGEV_THREAD) {
    const std::lock_guard guard(timers().lock);
    timers().all.push_back(*timer);
  }
  return code;
}

extern "C" int timer_delete(timer_t timer) noexcept {
  static const auto real = next<int(timer_t)>("timer_delete");
  {
    const std::lock_guard guard(timers().lock);
    std::erase(timers().all, timer);
  }
  return real(timer);
}

// Offsets have 64 bits here, so <aio.h> gives a name with 64 and the name without it the same symbol. A program may call
// both symbols: their functions have names of their own here.
namespace emu::mpi::aio {

int read(aiocb* operation) noexcept asm("aio_read");
int write(aiocb* operation) noexcept asm("aio_write");
int fsync(int how, aiocb* operation) noexcept asm("aio_fsync");
int list(int mode, aiocb* const operations[], int count, sigevent* event) noexcept asm("lio_listio");
int read64(aiocb64* operation) noexcept asm("aio_read64");
int write64(aiocb64* operation) noexcept asm("aio_write64");
int fsync64(int how, aiocb64* operation) noexcept asm("aio_fsync64");
int list64(int mode, aiocb64* const operations[], int count, sigevent* event) noexcept asm("lio_listio64");

int read(aiocb* operation) noexcept { return start_operation("aio_read", operation); }
int write(aiocb* operation) noexcept { return start_operation("aio_write", operation); }
int fsync(int how, aiocb* operation) noexcept { return sync_operation("aio_fsync", how, operation); }
int list(int mode, aiocb* const operations[], int count, sigevent* event) noexcept {
  return start_operations("lio_listio", mode, operations, count, event);
}
int read64(aiocb64* operation) noexcept { return start_operation("aio_read64", operation); }
int write64(aiocb64* operation) noexcept { return start_operation("aio_write64", operation); }
int fsync64(int how, aiocb64* operation) noexcept { return sync_operation("aio_fsync64", how, operation); }
int list64(int mode, aiocb64* const operations[], int count, sigevent* event) noexcept {
  return start_operations("lio_listio64", mode, operations, count, event);
}

}  // namespace emu::mpi::aio

extern "C" int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  static const auto real = next<int(mqd_t, const sigevent*)>("mq_notify");
  expect_threads(event);
  return real(queue, event);
}

extern "C" int getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  static const auto real = next<int(int, gaicb*[], int, sigevent*)>("getaddrinfo_a");
  if (mode == GAI_NOWAIT) expect_threads(event);
  return real(mode, list, count, event);
}
