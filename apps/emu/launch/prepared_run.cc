#include "launch/prepared_run.h"

#include <spdlog/spdlog.h>

#include <map>
#include <thread>

#include "common/elf.h"
#include "common/environment.h"
#include "common/links.h"
#include "common/output.h"
#include "common/places.h"
#include "common/trace_folder.h"
#include "launch/loaded.h"
#include "target/target.h"

namespace emu::app {
namespace {

// What is in the program once it is started: what it needs itself, and what that brings along.
Result<Elf> with_libraries(const std::string& path) {
  auto elf = read_elf(path);
  if (!elf || !elf->dynamic) return elf;
  const auto loaded = loaded_by(path);
  if (!loaded) return tl::unexpected(loaded.error());
  elf->needed.insert(elf->needed.end(), loaded->paths.begin(), loaded->paths.end());
  return elf;
}

// Whether libemu will be in the program, as far as the file itself tells. A script, or a program without MPI
// such as an interpreter, may start one that has it: only the missing record will tell.
Result<void> check_program(const std::string& path, bool preload) {
  const auto kind = file_kind(path);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == FileKind::script) return {};
  if (*kind == FileKind::other)
    return fail(path + ": is no program: neither an ELF file nor a script with #!");
  const auto elf = with_libraries(path);
  if (!elf) return tl::unexpected(elf.error());
  if (elf->has_shim()) return {};
  if (preload && !elf->dynamic)
    return fail(
        path +
        ": is linked statically, so --preload has no effect; link it anew with emucc, emucxx or emufc");
  if (!preload && elf->needs_mpi())
    return fail(path + ": libemu is not in this MPI program; " + how_to_get_it_in);
  return {};
}

Result<std::string> preload_value() {
  const auto shim = shim_path();
  if (!shim) return tl::unexpected(shim.error());
  const std::string before = environment().preload;
  return shim->string() + (before.empty() ? "" : ":" + before);
}

// Whether the ranks may be started on other machines too.
bool several_hosts(const std::vector<std::string>& mpirun) {
  if (environment().several_hosts) return true;
  for (std::string word : mpirun) {
    word.erase(0, word.find_first_not_of('-'));
    for (const char* option : {"f", "host", "hosts", "hostfile", "machinefile", "machine", "configfile"})
      if (word == option || word.starts_with(std::string(option) + "=")) return true;
  }
  return false;
}

// Most of what MPICH does when it starts is of no use to emulated ranks, which do not talk through it but to set
// themselves up: looking for ranks that share a node, reading the machine's topology, opening every transport
// there is. scripts/bench start compares.
void start_fast(const PreparedRun& plan, std::map<std::string, std::string>& everywhere,
                std::map<std::string, std::string>& ranks) {
  const Environment user = environment();
  if (!user.settles_nodes) everywhere.insert({{"MPIR_CVAR_NOLOCAL", "1"}, {"EMU_NODES", "1"}});
  // Only for the ranks: mpirun needs to know the real machine if it is to bind ranks to cores.
  if (!user.settles_hardware)
    ranks["HWLOC_SYNTHETIC"] = "pu:" + std::to_string(std::thread::hardware_concurrency());
  if (!user.settles_transports && !several_hosts(plan.options.mpirun)) ranks["UCX_TLS"] = "sysv,self";
  // The kernel updates these areas at every context switch. Nobody but the meter reads them
  // (libemu/clock/disturbance.h).
  if (plan.declared && !user.settles_c_library) ranks["GLIBC_TUNABLES"] = "glibc.pthread.rseq=0";
  for (const auto* settings : {&everywhere, &ranks})
    for (const auto& [name, value] : *settings) spdlog::debug("{}={}: MPICH starts faster", name, value);
}

}  // namespace

Result<std::filesystem::path> find_mpirun() {
  // The name with the suffix is surely MPICH's where several MPI libraries are installed.
  for (const char* name : {"mpirun.mpich", "mpirun"})
    if (const auto path = on_search_path(name); !path.empty()) return path;
  return fail("mpirun was not found along PATH; install MPICH (Debian: apt install mpich)");
}

Result<PreparedRun> prepare_run(RunOptions options) {
  PreparedRun plan;
  const auto target_file = target_path(options.target);
  if (!target_file) return tl::unexpected(target_file.error());
  plan.target = *target_file;
  const auto target = target::load(plan.target);
  if (!target) return tl::unexpected(target.error());
  plan.declared = target->compute == target::Compute::declared;
  plan.uncertainties = target->uncertainties;
  if (plan.declared) plan.uncertainties.erase("host_speed");  // it does not count then
  plan.ranks = options.ranks.value_or(target->slots());
  if (const auto fitting = target::fits(*target, plan.ranks, plan.target); !fitting)
    return tl::unexpected(fitting.error());
  plan.uncalibrated = uncalibrated_links(*target, plan.ranks);
  const auto mpirun = find_mpirun();
  if (!mpirun) return tl::unexpected(mpirun.error());
  plan.mpirun = *mpirun;
  const auto program = program_path(options.program);
  if (!program) return tl::unexpected(program.error());
  plan.program = *program;
  if (const auto good = check_program(plan.program, options.preload); !good)
    return tl::unexpected(good.error());
  if (options.preload) {
    const auto value = preload_value();
    if (!value) return tl::unexpected(value.error());
    plan.preload = *value;
  }
  if (const auto writable = can_write(options.json); !writable) return tl::unexpected(writable.error());
  if (const auto writable = can_write(options.report, "--report"); !writable)
    return tl::unexpected(writable.error());
  if (!options.trace.empty())
    if (const auto possible = can_record(options.trace); !possible) return tl::unexpected(possible.error());
  plan.options = std::move(options);
  return plan;
}

Command command(const PreparedRun& plan, const std::string& record, const std::string& status) {
  std::map<std::string, std::string> everywhere, ranks;
  start_fast(plan, everywhere, ranks);
  // For the ranks alone: mpirun itself and its helpers need no libemu.
  if (!plan.preload.empty()) ranks["LD_PRELOAD"] = plan.preload;
  Command result;
  // The processor predicts branches by their addresses, and ranks take turns on it every few microseconds: what it
  // has learned from one rank then holds for the next. With 64 ranks that saves a fifth of all CPU time.
  result.same_addresses = true;
  result.has_to_start = true;
  result.words = {plan.mpirun, "-n", std::to_string(plan.ranks)};
  for (const auto& [name, value] : ranks) result.words.insert(result.words.end(), {"-genv", name, value});
  result.words.insert(result.words.end(), plan.options.mpirun.begin(), plan.options.mpirun.end());
  result.words.push_back(plan.program);
  result.words.insert(result.words.end(), plan.options.arguments.begin(), plan.options.arguments.end());
  result.environment = {{"EMU_TARGET", plan.target}, {"EMU_RECORD", record}, {"EMU_STATUS", status}};
  result.environment.merge(everywhere);
  if (plan.options.cores) result.environment["EMU_CORES"] = std::to_string(*plan.options.cores);
  if (!plan.options.trace.empty())
    result.environment["EMU_TRACE"] = std::filesystem::absolute(plan.options.trace);
  if (plan.options.host_clocks) result.environment["EMU_HOST_CLOCKS"] = "1";
  if (!plan.options.log_level.empty()) result.environment["EMU_LOG"] = plan.options.log_level;
  return result;
}

}  // namespace emu::app
