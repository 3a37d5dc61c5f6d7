#include "check/findings.h"

#include <filesystem>

#include "launch/shared_objects.h"
#include "program/elf.h"

namespace emu::app {

namespace {

namespace fs = std::filesystem;

enum class Library { libemu, mpich, front, other_mpi, any };

Library kind_of(const std::string& path) {
  const std::string name = fs::path(path).filename();
  if (name == "libemu.so") return Library::libemu;
  // Open MPI has MPICH's name for the common interface of several libraries, with another
  // version.
  for (const char* other : {"libmpi.so.40", "libmpi_mpifh", "libmpi_usempi", "libopen-pal", "libopen-rte"})
    if (name.starts_with(other)) return Library::other_mpi;
  // Layers for Fortran or C++ in front of MPICH call it as the program does.
  for (const char* front : {"libmpichfort", "libmpichcxx", "libmpifort", "libmpicxx"})
    if (name.starts_with(front)) return Library::front;
  // Calls of these libraries are not the program's; calls of libraries with similar names, such as profilers, are.
  for (const char* mpich : {"libmpi.so", "libmpich.so", "libmpi-", "libmpich-"})
    if (name.starts_with(mpich)) return Library::mpich;
  return Library::any;
}

std::optional<std::string> thread_maker(const std::string& symbol) {
  if (symbol == "pthread_create" || symbol == "thrd_create") return symbol;
  if (symbol.starts_with("_ZNSt6thread15_M_start_thread")) return "std::thread";
  if (symbol.starts_with("GOMP_parallel") || symbol.starts_with("__kmpc_fork_call")) return "OpenMP";
  return std::nullopt;
}

bool loads(const std::string& symbol) {
  return symbol == "dlopen" || symbol == "dlmopen" || symbol == "dlsym" || symbol == "dlvsym";
}

bool sleeps(const std::string& symbol) {
  for (const char* name : {"sleep", "usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"})
    if (symbol == name) return true;
  return symbol.starts_with("_ZNSt11this_thread11__sleep_for");
}

// True for "MPI_Send", "MPI_T_enum_get_info"; not for "MPI_UNWEIGHTED", which is data.
bool is_c_function(std::string_view symbol) {
  if (symbol.starts_with('P')) symbol.remove_prefix(1);
  for (const std::string_view prefix : {"MPI_T_", "MPIX_", "MPI_"})
    if (symbol.starts_with(prefix)) return symbol.find_first_of("abcdefghijklmnopqrstuvwxyz") != symbol.npos;
  return false;
}

// A program that loads code at run time can call functions that it does not import.
void add_loading(const Elf& elf, Findings& findings) {
  for (const std::string& symbol : elf.imports)
    if (loads(symbol)) findings.loads.insert(symbol);
}

void add_imports(const Elf& elf, Findings& findings) {
  bool calls_mpi = false;
  for (const std::string& symbol : elf.imports) {
    const Function* function = function_of(symbol);
    if (!function && !is_c_function(symbol)) continue;
    calls_mpi = true;
    if (function)
      findings.functions.emplace(function->name, function);
    else
      findings.unknown.insert(symbol);
    if (is_profiling_name(symbol)) findings.profiling.insert(symbol);
  }
  // Threads and loads of a library that does not call MPI are ignored.
  if (!calls_mpi) return;
  add_loading(elf, findings);
  for (const std::string& symbol : elf.imports)
    if (sleeps(symbol))
      findings.sleeps.insert(symbol.starts_with('_') ? "std::this_thread::sleep_for" : symbol);
  for (const std::string& symbol : elf.imports)
    if (const auto maker = thread_maker(symbol)) findings.threads.insert(*maker);
}

void look_into_libraries(const Loaded& loaded, Findings& findings) {
  bool mpi = false, other_mpi = false, asked_first = false;
  auto& obstacles = findings.obstacles;
  for (const std::string& path : loaded.paths) {
    switch (kind_of(path)) {
      case Library::libemu:
        findings.shim = path;
        asked_first = !mpi;
        break;
      case Library::mpich:
        mpi = true;
        break;
      case Library::front:
        break;
      case Library::other_mpi:
        other_mpi = true;
        break;
      case Library::any:
        if (const auto library = read_elf(path)) add_imports(*library, findings);
        break;
    }
  }
  const std::string with = " with emucc, emucxx or emufc";
  for (const std::string& name : loaded.missing)
    obstacles.push_back("it needs " + name + ", which is not found");
  if (other_mpi)
    obstacles.push_back("it is built with another MPI library than MPICH: compile it" + with);
  else if (!mpi && loaded.missing.empty() && findings.loads.empty())
    obstacles.push_back("it is not an MPI program: it loads no MPI library when it starts");
  else if (!mpi && loaded.missing.empty())
    obstacles.push_back(
        "it loads no MPI library when it starts: it is not an MPI program, or it loads the library later, "
        "which "
        "emu run --preload runs");
  else if (mpi && !findings.shim)
    findings.preload = "libemu is not in it; linked" + with + ", it runs without --preload";
  else if (mpi && !asked_first)
    findings.preload = "the MPI library comes before libemu; linked" + with + ", it runs without --preload";
}

}  // namespace

Result<Findings> look_into(const std::string& program) {
  Findings findings;
  const auto kind = file_kind(program);
  if (!kind) return tl::unexpected<Failure>(kind.error());
  if (*kind == FileKind::script) {
    findings.obstacles.push_back(
        "it is a script: check the program that it starts; emu run runs the script, with --preload if that "
        "program "
        "needs it");
    return findings;
  }
  const auto elf = read_elf(program);
  if (!elf) return tl::unexpected<Failure>(elf.error());
  if (!elf->dynamic) {
    findings.obstacles.push_back(
        "it is linked statically, so that libemu cannot take its calls of MPI: link it without -static");
    return findings;
  }
  add_imports(*elf, findings);
  add_loading(*elf, findings);
  const auto loaded = loaded_by(program);
  if (!loaded) return tl::unexpected<Failure>(loaded.error());
  look_into_libraries(*loaded, findings);
  if (!findings.preload.empty() && has_other_rights(program))
    findings.obstacles.push_back(std::string("it ") + other_rights);
  return findings;
}

}  // namespace emu::app
