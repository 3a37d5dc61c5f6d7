// Entry points that synchronise one-sided operations: fences, groups of origins and targets, locks.
//
// All of them send messages. A lock is requested without waiting: the target keeps the origin's operations until the
// origin has the lock. The origin waits only for locks after which the program may load and store: of its own
// memory, and of shared memory. A flush, or an unlock, is a message behind the operations, whose result shows that
// all of them have taken effect. A fence is a flush and a barrier. MPI_Win_post sends a message to each origin, for
// which MPI_Win_start waits; MPI_Win_complete is a flush and a message to each target, for which MPI_Win_wait waits.

#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "rma/window_entry.h"

namespace emu::mpi {

using rank::Rank;
using Access = Window::Access;
using Kind = rank::Windows::Kind;

namespace {

constexpr int posted = 1, completed = 2;  // tags

// Sends `kind` to all targets that are not known to have failed. Returns a failed one; -1: none.
int ask_all(Rank& rank, Window& window, Kind kind, const std::set<int>& targets) {
  int failed = -1;
  for (const int target : targets) {
    const int to = window.comm.world[target];
    if (const int known = rank.known_failed(to); known >= 0)
      failed = known;
    else
      rank.windows().ask({.window = window.name(), .to = to, .kind = kind}, {});
  }
  return failed;
}

void check_assertions(int assertions) {
  constexpr int all =
      MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if ((assertions & ~all) != 0) throw Error{MPI_ERR_ARG, "invalid assertion " + std::to_string(assertions)};
}

void check_idle(const Window& window, const char* what) {
  if (window.access != Access::none && window.access != Access::fence)
    wrong_synchronization(std::string(what) + " during another epoch");
}

bool locked(const Window& window) {
  return window.access == Access::lock || window.access == Access::lock_all;
}

void check_locked(const Window& window, const char* what) {
  if (!locked(window)) wrong_synchronization(std::string(what) + " without a lock");
}

// --- fence

void fence(Rank& rank, Window& window, int assertions) {
  check_assertions(assertions);
  if (locked(window) || window.access == Access::start || window.exposed)
    wrong_synchronization("MPI_Win_fence during another epoch");
  const int failed = flush(rank, window, -1);
  run(rank, window.comm, model::barrier(window.comm.rank, window.comm.size()), rank::Memory{});
  check_failed(failed);
  window.access = (assertions & MPI_MODE_NOSUCCEED) ? Access::none : Access::fence;
}

// --- groups of origins and targets

std::vector<int> ranks_of(const Window& window, const rank::Members& members) {
  std::vector<int> ranks;
  for (const int member : members) {
    const int rank = window.comm.world.find(member);
    if (rank < 0) throw Error{MPI_ERR_GROUP, "the group has a rank that does not belong to the window"};
    ranks.push_back(rank);
  }
  return ranks;
}

rank::Request* receive_word(Rank& rank, const Window& window, int from, int tag) {
  return rank.ireceive(window.comm, from, tag, rank::Buffer::contiguous(nullptr, 0));
}

void send_word(Rank& rank, const Window& window, int to, int tag) {
  rank.free(rank.isend(window.comm, to, tag, rank::Buffer::contiguous(nullptr, 0)));
}

void wait_for_words(Rank& rank, std::vector<rank::Request*>& words) {
  rank.wait_all(words);
  int failed = -1;
  for (rank::Request* word : words) {
    failed = std::max(failed, word->status.failed);
    rank.free(word);
  }
  words.clear();
  check_failed(failed);
}

void post(Rank& rank, Window& window, MPI_Group group, int assertions) {
  check_assertions(assertions);
  const std::vector<int> origins = ranks_of(window, objects->groups.find(group));
  if (window.exposed || window.access == Access::fence_used)
    wrong_synchronization("MPI_Win_post during another epoch");
  if (window.access == Access::fence) window.access = Access::none;
  for (const int origin : origins) window.completes.push_back(receive_word(rank, window, origin, completed));
  if (!(assertions & MPI_MODE_NOCHECK))
    for (const int origin : origins) send_word(rank, window, origin, posted);
  window.exposed = true;
}

void start(Rank& rank, Window& window, MPI_Group group, int assertions) {
  check_assertions(assertions);
  const rank::Members members = objects->groups.find(group);
  const std::vector<int> targets = ranks_of(window, members);
  check_idle(window, "MPI_Win_start");
  if (!(assertions & MPI_MODE_NOCHECK)) {
    std::vector<rank::Request*> words;
    for (const int target : targets) words.push_back(receive_word(rank, window, target, posted));
    wait_for_words(rank, words);
  }
  window.targets = members;
  window.access = Access::start;
}

void complete(Rank& rank, Window& window) {
  if (window.access != Access::start) wrong_synchronization("MPI_Win_complete without MPI_Win_start");
  const int failed = flush(rank, window, -1);
  for (const int target : ranks_of(window, window.targets)) send_word(rank, window, target, completed);
  window.targets = {};
  window.access = Access::none;
  check_failed(failed);
}

void check_exposed(const Window& window, const char* what) {
  if (!window.exposed) wrong_synchronization(std::string(what) + " without MPI_Win_post");
}

bool test(Rank& rank, Window& window) {
  check_exposed(window, "MPI_Win_test");
  if (!rank.test_all(window.completes)) return false;
  wait_for_words(rank, window.completes);  // all of them have arrived
  window.exposed = false;
  return true;
}

// --- locks

void lock(Rank& rank, Window& window, int type, int target, int assertions) {
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
    throw Error{MPI_ERR_ARG, "invalid type of lock, " + std::to_string(type)};
  check_target(window, target);
  check_assertions(assertions);
  if (window.access != Access::lock) check_idle(window, "MPI_Win_lock");
  if (window.locks.contains(target)) wrong_synchronization("the window is already locked at that rank");
  if (target != MPI_PROC_NULL) check_failed(rank.known_failed(window.comm.world[target]));
  window.access = Access::lock;
  const bool held = target != MPI_PROC_NULL && !(assertions & MPI_MODE_NOCHECK);
  window.locks[target] = held;
  if (!held) return;
  const rank::Windows::Operation asks{.window = window.name(),
                                      .to = window.comm.world[target],
                                      .kind = Kind::lock,
                                      .exclusive = type == MPI_LOCK_EXCLUSIVE};
  const bool loads = target == window.comm.rank || window.shared;
  if (!loads) return rank.windows().send(asks);
  rank.windows().ask(asks, {});
  check_failed(rank.wait_for_answers(window.name(), asks.to));
}

void unlock(Rank& rank, Window& window, int target) {
  check_target(window, target);
  const auto held = window.locks.find(target);
  if (window.access != Access::lock || held == window.locks.end())
    wrong_synchronization("the window is not locked there");
  int failed = -1;
  if (held->second) {
    failed = ask_all(rank, window, Kind::unlock, {target});
    failed = std::max(failed, rank.wait_for_answers(window.name(), window.comm.world[target]));
    window.touched.erase(target);
  } else if (target != MPI_PROC_NULL) {
    failed = flush(rank, window, target);
  }
  window.locks.erase(target);
  if (window.locks.empty()) window.access = Access::none;
  check_failed(failed);
}

void lock_all(Rank& rank, Window& window, int assertions) {
  check_assertions(assertions);
  check_idle(window, "MPI_Win_lock_all");
  window.access = Access::lock_all;
  window.unchecked = (assertions & MPI_MODE_NOCHECK) != 0;
  if (window.unchecked || !window.shared) return;
  std::set<int> all;
  for (int target = 0; target < window.comm.size(); ++target) all.insert(target);
  int failed = ask_all(rank, window, Kind::lock, all);
  failed = std::max(failed, rank.wait_for_answers(window.name(), -1));
  for (const int target : all) window.locks[target] = true;
  check_failed(failed);
}

void unlock_all(Rank& rank, Window& window) {
  if (window.access != Access::lock_all) wrong_synchronization("MPI_Win_unlock_all without MPI_Win_lock_all");
  int failed = -1;
  if (window.unchecked) {
    failed = flush(rank, window, -1);
  } else {
    std::set<int> held;
    for (const auto& [target, at_target] : window.locks) held.insert(target);
    failed = ask_all(rank, window, Kind::unlock, held);
    failed = std::max(failed, rank.wait_for_answers(window.name(), -1));
    window.touched.clear();
  }
  window.locks.clear();
  window.access = Access::none;
  check_failed(failed);
}

void flush_local(Rank& rank, Window& window, int target) {
  check_locked(window, "a flush");
  if (target >= 0) target = window.comm.world[target];
  check_failed(rank.wait_for_answers(window.name(), target));
}

}  // namespace

// Operations with a result need no further message.
int flush(Rank& rank, Window& window, int target) {
  std::set<int> asked;
  if (target < 0)
    asked = std::move(window.touched);
  else if (window.touched.contains(target))
    asked.insert(target);
  const int failed = ask_all(rank, window, Kind::flush, asked);
  if (target < 0)
    window.touched.clear();
  else
    window.touched.erase(target);
  return std::max(failed, rank.wait_for_answers(window.name(), target < 0 ? -1 : window.comm.world[target]));
}

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" int MPI_Win_fence(int assertions, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_fence(assertions, win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { fence(rank, window, assertions); });
}

extern "C" int MPI_Win_post(MPI_Group group, int assertions, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_post(group, assertions, win);
  return run_on(entry, __func__, win,
                [&](Rank& rank, Window& window) { post(rank, window, group, assertions); });
}

extern "C" int MPI_Win_start(MPI_Group group, int assertions, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_start(group, assertions, win);
  return run_on(entry, __func__, win,
                [&](Rank& rank, Window& window) { start(rank, window, group, assertions); });
}

extern "C" int MPI_Win_complete(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_complete(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { complete(rank, window); });
}

extern "C" int MPI_Win_wait(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_wait(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) {
    check_exposed(window, "MPI_Win_wait");
    wait_for_words(rank, window.completes);
    window.exposed = false;
  });
}

extern "C" int MPI_Win_test(MPI_Win win, int* flag) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_test(win, flag);
  return run_on(entry, __func__, win,
                [&](Rank& rank, Window& window) { present(flag) = test(rank, window); });
}

extern "C" int MPI_Win_lock(int type, int target, int assertions, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_lock(type, target, assertions, win);
  return run_on(entry, __func__, win,
                [&](Rank& rank, Window& window) { lock(rank, window, type, target, assertions); });
}

extern "C" int MPI_Win_unlock(int target, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_unlock(target, win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { unlock(rank, window, target); });
}

extern "C" int MPI_Win_lock_all(int assertions, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_lock_all(assertions, win);
  return run_on(entry, __func__, win,
                [&](Rank& rank, Window& window) { lock_all(rank, window, assertions); });
}

extern "C" int MPI_Win_unlock_all(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_unlock_all(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { unlock_all(rank, window); });
}

extern "C" int MPI_Win_flush(int target, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_flush(target, win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) {
    check_target(window, target);
    check_locked(window, "a flush");
    if (target != MPI_PROC_NULL) check_failed(flush(rank, window, target));
  });
}

extern "C" int MPI_Win_flush_all(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_flush_all(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) {
    check_locked(window, "a flush");
    check_failed(flush(rank, window, -1));
  });
}

extern "C" int MPI_Win_flush_local(int target, MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_flush_local(target, win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) {
    check_target(window, target);
    if (target != MPI_PROC_NULL) flush_local(rank, window, target);
  });
}

extern "C" int MPI_Win_flush_local_all(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_flush_local_all(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { flush_local(rank, window, -1); });
}

extern "C" int MPI_Win_sync(MPI_Win win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_sync(win);
  return run_on(entry, __func__, win, [&](Rank& rank, Window& window) {
    check_locked(window, "MPI_Win_sync");
    rank.synchronize();
  });
}
