// Calls by which the program makes the C library create threads (SIGEV_THREAD). These do not pass
// pthread_create(): the registry learns that there may be some, and registers each when it calls MPI.

// Otherwise the names of functions with 64 bits would refer to both kinds.
#undef _FILE_OFFSET_BITS

#include "process/system_threads.h"

#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/next.h"
#include "process/thread_registry.h"

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
void expect(const sigevent* event) {
  if (!event || event->sigev_notify != SIGEV_THREAD || emu::mpi::caller.ours) return;
  emu::mpi::make_threads([] { emu::mpi::threads().expects_unseen(); }, [](emu::Instant) {});
}

template <class Operation>
int start(const char* name, Operation* operation) {
  expect(&operation->aio_sigevent);
  return next<int(Operation*)>(name)(operation);
}

template <class Operation>
int sync(const char* name, int how, Operation* operation) {
  expect(&operation->aio_sigevent);
  return next<int(int, Operation*)>(name)(how, operation);
}

template <class Operation>
int start_all(const char* name, int mode, Operation* const list[], int count, sigevent* event) {
  if (mode == LIO_NOWAIT) expect(event);
  for (int i = 0; i < count; ++i)
    if (list[i]) expect(&list[i]->aio_sigevent);
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
  expect(event);
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

extern "C" int aio_read(aiocb* operation) noexcept { return start(__func__, operation); }
extern "C" int aio_write(aiocb* operation) noexcept { return start(__func__, operation); }
extern "C" int aio_fsync(int how, aiocb* operation) noexcept { return sync(__func__, how, operation); }
extern "C" int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) noexcept {
  return start_all(__func__, mode, list, count, event);
}
extern "C" int aio_read64(aiocb64* operation) noexcept { return start(__func__, operation); }
extern "C" int aio_write64(aiocb64* operation) noexcept { return start(__func__, operation); }
extern "C" int aio_fsync64(int how, aiocb64* operation) noexcept { return sync(__func__, how, operation); }
extern "C" int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) noexcept {
  return start_all(__func__, mode, list, count, event);
}

extern "C" int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  static const auto real = next<int(mqd_t, const sigevent*)>("mq_notify");
  expect(event);
  return real(queue, event);
}

extern "C" int getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  static const auto real = next<int(int, gaicb*[], int, sigevent*)>("getaddrinfo_a");
  if (mode == GAI_NOWAIT) expect(event);
  return real(mode, list, count, event);
}
