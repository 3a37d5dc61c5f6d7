#include "common/shortage.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/memory.h"

namespace emu::app {
namespace {

char at_shortage[320];  // description of the memory; empty: there has been no shortage

[[noreturn]] void note_shortage() {
  if (!at_shortage[0]) describe_memory(at_shortage, sizeof at_shortage);
  throw std::bad_alloc();
}

std::terminate_handler usual_end = nullptr;

// Also called where no exception may pass, such as in a destructor.
[[noreturn]] void end_without_memory() {
  if (const std::exception_ptr thrown = std::current_exception()) try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      report_shortage();
      std::_Exit(1);
    } catch (...) {
      // an internal error, with a core file
    }
  usual_end();
  std::abort();
}

}  // namespace

void expect_shortage() {
  usual_end = std::set_terminate(end_without_memory);
  std::set_new_handler(note_shortage);
}

void report_shortage() {
  if (!at_shortage[0]) describe_memory(at_shortage, sizeof at_shortage);
  std::fprintf(
      stderr,
      "emu: error: no memory left: %s; run with fewer ranks, with a greater limit (also of a resource "
      "manager), or on a machine with more memory\n",
      at_shortage);
}

}  // namespace emu::app
