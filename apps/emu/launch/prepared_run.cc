#include "launch/prepared_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "common/environment.h"
#include "common/installation.h"
#include "common/output.h"
#include "common/trace_folder.h"
#include "launch/shared_objects.h"
#include "prediction/uncalibrated.h"
#include "program/elf.h"
#include "program/search_path.h"
#include "schedule/source.h"
#include "target/target.h"

namespace emu::app {
namespace {

// The program with the libraries that it needs, directly or indirectly: those of its libraries only if the program's
// own do not decide.
Result<Elf> with_libraries(const std::string& path, bool preload) {
  auto elf = read_elf(path);
  if (!elf || !elf->dynamic || elf->has_shim() || (preload && elf->needs_mpi())) return elf;
  const auto loaded = loaded_by(path);
  if (!loaded) return tl::unexpected(loaded.error());
  elf->needed.insert(elf->needed.end(), loaded->paths.begin(), loaded->paths.end());
  return elf;
}

// Checks that libemu will be in the program, as far as the file shows it. A script, or a program without MPI
// such as an interpreter, may start one that has it: then only a missing record shows the error.
Result<void> check_program(const std::string& path, bool preload) {
  const auto kind = file_kind(path);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == FileKind::script) return {};
  if (*kind == FileKind::other)
    return fail(path + ": not a program (expected an ELF file or a script with #!)");
  const auto elf = with_libraries(path, preload);
  if (!elf) return tl::unexpected(elf.error());
  if (elf->has_shim()) return {};
  if (preload && !elf->dynamic)
    return fail(
        path +
        ": is linked statically, so --preload has no effect; link it anew with emucc, emucxx or emufc");
  if (preload && has_other_rights(path)) return fail(path + ": " + other_rights);
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

// True if ranks may be started on other machines.
bool several_hosts(const std::vector<std::string>& mpirun) {
  if (environment().several_hosts) return true;
  for (std::string word : mpirun) {
    word.erase(0, word.find_first_not_of('-'));
    for (const char* option : {"f", "host", "hosts", "hostfile", "machinefile", "machine", "configfile"})
      if (word == option || word.starts_with(std::string(option) + "=")) return true;
  }
  return false;
}

// Some actions of the libraries behind MPICH at load time are useless for ranks that do not communicate through them:
// searching for network cards, tracking the program's memory, a thread that answers requests.
void start_fast(const PreparedRun& plan, std::map<std::string, std::string>& ranks) {
  const Environment user = environment();
  if (!user.settles_transports)
    ranks.insert({{"UCX_MODULES", "none"}, {"UCX_VFS_ENABLE", "n"}, {"UCX_MEM_EVENTS", "n"}});
  // The kernel updates these areas at every context switch. Only the meter uses them
  // (libemu/clock/disturbance.h).
  if (plan.declared && !user.settles_c_library) ranks["GLIBC_TUNABLES"] = "glibc.pthread.rseq=0";
  for (const auto& [name, value] : ranks) spdlog::debug("{}={}: ranks start faster", name, value);
}

// Hydra's helper scans all of its ranks whenever one of them sends a request, which takes time in proportion to the
// square of their number, and it has three files for each: so many ranks of this machine get several helpers, which are
// distinguished by fictitious host names.
std::vector<std::string> several_helpers(const PreparedRun& plan) {
  constexpr int most = 512;  // ranks of a helper
  if (plan.ranks <= 2 * most || several_hosts(plan.options.mpirun)) return {};
  std::string hosts;
  for (int first = 0; first < plan.ranks; first += most)
    hosts += (first ? ",part" : "part") + std::to_string(first / most) + ":" + std::to_string(most);
  return {"-launcher", "fork", "-hosts", hosts};
}

}  // namespace

Result<std::filesystem::path> find_mpirun() {
  // With several MPI libraries installed, the name with the suffix is certainly MPICH's.
  for (const char* name : {"mpirun.mpich", "mpirun"})
    if (const auto path = on_search_path(name); !path.empty()) return path;
  return fail("mpirun was not found along PATH; install MPICH (Debian: apt install mpich)");
}

namespace {

// The schedule that is to be played in place of a program, if the only named program is one.
Result<std::optional<schedules::Source>> find_schedule(const RunOptions& options) {
  if (options.programs.size() != 1) return std::nullopt;
  const Program& program = options.programs.front();
  if (!schedules::is_source(program.name)) return std::nullopt;
  const auto source = schedules::read_any(program.name, program.arguments);
  if (!source) return tl::unexpected(source.error());
  for (const auto& [given, option] :
       {std::pair(options.preload, "--preload"), std::pair(options.host_clocks, "--host-clocks"),
        std::pair(options.cores.has_value(), "--cores"), std::pair(!options.mpirun.empty(), "--mpirun")})
    if (given)
      return fail(std::string(option) + ": " + program.name + " is a " + schedules::noun(*source) +
                  ", for which no process is started");
  if (options.ranks && *options.ranks != source->ranks)
    return fail("invalid number of ranks: " + std::to_string(*options.ranks) + " (expected " +
                std::to_string(source->ranks) + ", as the " + schedules::noun(*source) + " " + program.name +
                " has)");
  return *source;
}

// Determines the programs, and the way to start them.
Result<void> find_programs(const RunOptions& options, PreparedRun& plan) {
  const auto mpirun = find_mpirun();
  if (!mpirun) return tl::unexpected(mpirun.error());
  plan.mpirun = *mpirun;
  if (const auto shares = share_ranks(options.programs, plan.ranks); !shares)
    return tl::unexpected(shares.error());
  for (const Program& program : options.programs) {
    const auto path = program_path(program.name);
    if (!path) return tl::unexpected(path.error());
    if (const auto good = check_program(*path, options.preload); !good) return tl::unexpected(good.error());
    plan.programs.push_back(*path);
  }
  // ThreadSanitizer begins by calls of functions that libemu replaces, which works if libemu precedes it.
  const bool watched = std::any_of(plan.programs.begin(), plan.programs.end(), [](const auto& program) {
    const auto elf = read_elf(program);
    return elf && elf->has_shim() && elf->needs("libtsan.so");
  });
  if (options.preload || watched) {
    const auto value = preload_value();
    if (!value) return tl::unexpected(value.error());
    plan.preload = *value;
  }
  return {};
}

}  // namespace

std::string why_no_record(const PreparedRun& plan, int code, bool started) {
  const std::string program = names_of(plan.options.programs);
  const std::string exit_code = "exit code " + std::to_string(code);
  if (started) return program + " ended with " + exit_code + " before MPI_Finalize: no prediction";
  return program + " ran without libemu, or ended before MPI_Init, with " + exit_code +
         ": no prediction; if its output names no cause: " +
         (plan.options.preload ? why_preload_fails : how_to_get_it_in);
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
  if (plan.declared) plan.uncertainties.erase("host_speed");  // without effect with declared work
  const auto schedule = find_schedule(options);
  if (!schedule) return tl::unexpected(schedule.error());
  plan.schedule = *schedule;
  plan.ranks = plan.schedule ? plan.schedule->ranks : options.ranks.value_or(target->slots());
  if (const auto fitting = target::fits(*target, plan.ranks, plan.target); !fitting)
    return tl::unexpected(fitting.error());
  plan.uncalibrated = uncalibrated_links(*target, plan.ranks);
  plan.uncalibrated_values = uncalibrated_values(*target);
  const auto found = plan.schedule ? Result<void>() : find_programs(options, plan);
  if (!found) return tl::unexpected(found.error());
  std::vector<NamedFile> inputs = {{"the target", plan.target}};
  for (const auto& program : plan.programs) inputs.push_back({"the program", program});
  if (plan.schedule) inputs.push_back({"the schedule", options.programs.front().name});
  if (const auto writable = can_write({{"--json", options.json}, {"--report", options.report}}, inputs);
      !writable)
    return tl::unexpected(writable.error());
  if (!options.trace.empty())
    if (const auto possible = can_record(options.trace); !possible) return tl::unexpected(possible.error());
  plan.options = std::move(options);
  return plan;
}

namespace {

// The environment of every rank, in whatever way it is started.
std::map<std::string, std::string> rank_environment(const PreparedRun& plan) {
  std::map<std::string, std::string> ranks;
  start_fast(plan, ranks);
  // UCX, behind MPICH, installs a handler for SIGHUP, which would keep this signal from ending a rank.
  const Environment user = environment();
  if (!user.settles_debug_signal) ranks["UCX_DEBUG_SIGNO"] = "0";
  // Threads of OpenMP spin while they wait for each other. Ranks share cores, so the spinning keeps other ranks from
  // working, and it is measured as work.
  if (!user.settles_openmp) ranks["OMP_WAIT_POLICY"] = "passive";
  if (!plan.preload.empty()) ranks["LD_PRELOAD"] = plan.preload;
  return ranks;
}

// The settings of libemu for this run.
Command common(const PreparedRun& plan, const std::string& record, const std::string& status) {
  Command result;
  // The processor predicts branches by their addresses, and ranks share it by turns of a few microseconds: with
  // equal addresses, the history of one rank serves the next. With 64 ranks this saves a fifth of all CPU time.
  result.same_addresses = true;
  result.cores = plan.only_cores;
  result.environment = {{"EMU_TARGET", plan.target}, {"EMU_RECORD", record}, {"EMU_STATUS", status}};
  if (plan.options.cores) result.environment["EMU_CORES"] = std::to_string(*plan.options.cores);
  if (!plan.options.trace.empty())
    result.environment["EMU_TRACE"] = std::filesystem::absolute(plan.options.trace);
  if (plan.options.host_clocks) result.environment["EMU_HOST_CLOCKS"] = "1";
  if (!plan.options.log_level.empty()) result.environment["EMU_LOG"] = plan.options.log_level;
  // Variables set above take precedence over the user's environment.
  result.environment.insert(plan.options.environment.begin(), plan.options.environment.end());
  return result;
}

void append_program(const PreparedRun& plan, std::size_t number, Command& command) {
  const std::vector<std::string>& arguments = plan.options.programs[number].arguments;
  command.words.push_back(plan.programs[number]);
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
}

// For the ranks only: mpirun itself and its helpers need no libemu.
void pass_to_ranks(const PreparedRun& plan, Command& by_mpirun) {
  for (const auto& [name, value] : rank_environment(plan))
    by_mpirun.words.insert(by_mpirun.words.end(), {"-genv", name, value});
}

// mpirun starts the programs, a process for each rank.
Command by_mpirun(const PreparedRun& plan, Command result) {
  const auto shares = share_ranks(plan.options.programs, plan.ranks);
  const auto ranks_of = [&](std::size_t i) { return std::to_string(shares ? (*shares)[i] : 0); };
  result.has_to_start = true;
  result.words = {plan.mpirun, "-n", ranks_of(0)};
  pass_to_ranks(plan, result);
  const std::vector<std::string> helpers = several_helpers(plan);
  result.words.insert(result.words.end(), helpers.begin(), helpers.end());
  result.words.insert(result.words.end(), plan.options.mpirun.begin(), plan.options.mpirun.end());
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    if (i > 0) result.words.insert(result.words.end(), {":", "-n", ranks_of(i)});
    append_program(plan, i, result);
  }
  return result;
}

// This command plays the schedule, in a separate process.
Command by_itself(const PreparedRun& plan, Command result) {
  result.words = {"/proc/self/exe", "run", "--target", plan.target};
  if (!plan.options.trace.empty()) result.words.insert(result.words.end(), {"--trace", plan.options.trace});
  const Program& program = plan.options.programs.front();
  result.words.push_back(program.name);
  result.words.insert(result.words.end(), program.arguments.begin(), program.arguments.end());
  return result;
}

// The interpreter loads MPI with a module of the script, in its own process.
bool is_python(const std::string& program) {
  return std::filesystem::path(program).filename().string().starts_with("python");
}

// True if the program's first process on a host can become all ranks of the host. A script, or a program that may start
// another one in its place, could do so before any rank exists.
bool can_fork(const PreparedRun& plan) {
  const Environment manager = environment();
  if (plan.programs.size() > 1 || !plan.options.mpirun.empty() || manager.divides_host ||
      (manager.several_hosts && !manager.hosts))
    return false;
  const std::string program = plan.programs.front();
  if (const auto kind = file_kind(program); !kind || *kind != FileKind::elf) return false;
  const auto elf = with_libraries(program, !plan.preload.empty());
  return elf && (elf->has_shim() || (!plan.preload.empty() && (elf->needs_mpi() || is_python(program))));
}

}  // namespace

Command command(const PreparedRun& plan, const std::string& record, const std::string& status) {
  Command settings = common(plan, record, status);
  if (plan.schedule) return by_itself(plan, std::move(settings));
  if (!can_fork(plan)) return by_mpirun(plan, std::move(settings));
  Command forked = settings;
  if (const auto hosts = environment().hosts) {
    forked.has_to_start = true;
    forked.words = {plan.mpirun, "-n", std::to_string(std::min(*hosts, plan.ranks)), "-ppn", "1"};
    pass_to_ranks(plan, forked);
  } else {
    forked.environment.merge(rank_environment(plan));
  }
  append_program(plan, 0, forked);
  forked.environment["EMU_RANKS"] = std::to_string(plan.ranks);
  forked.refusal = forked.environment["EMU_FORK_REFUSED"] = status + ".refused";
  forked.otherwise = std::make_shared<Command>(by_mpirun(plan, std::move(settings)));
  return forked;
}

}  // namespace emu::app
