#include "wire/life.h"

#include <cerrno>

namespace emu::wire {

void Life::prepare() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&held_, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void Life::begin() { pthread_mutex_lock(&held_); }

void Life::end() { pthread_mutex_unlock(&held_); }

// A lock without a holder belongs to a rank that has not begun, or that has ended.
bool Life::lost() {
  const int code = pthread_mutex_trylock(&held_);
  if (code == 0) pthread_mutex_unlock(&held_);
  return code == EOWNERDEAD;
}

}  // namespace emu::wire
