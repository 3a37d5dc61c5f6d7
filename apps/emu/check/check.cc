// emu check PROGRAM: whether it can run under libemu, by which command, and if not, why.

#include <algorithm>
#include <iostream>

#include "check/findings.h"
#include "common/command_line.h"
#include "program/programs.h"
#include "program/search_path.h"
#include "verbs.h"

namespace emu::app::checks {

namespace {

const char usage[] =
    "Usage: emu check PROGRAM\n"
    "       emu check PROGRAM [ARGS] : [-n N] PROGRAM [ARGS] ...\n"
    "Reports whether PROGRAM will run under libemu, and by which command: whether libemu is in it, and the "
    "MPI\n"
    "functions that it can call. The second form checks each program of a job, in the syntax of emu run. No "
    "program\n"
    "is started. Exit code: 0 it will run, 1 it will not, 2 wrong use.\n";

template <class Names>
std::string list(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::vector<std::string_view> names_of(const Findings& findings, Class group) {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : findings.functions)
    if (function->group == group) names.push_back(name);
  return names;
}

void print_functions(const Findings& findings, Class group, const char* title) {
  const auto names = names_of(findings, group);
  if (!names.empty()) std::cout << "  " << title << ": " << list(names) << "\n";
}

// Functions that are refused for the same reason share a line.
void print_refused(const Findings& findings) {
  std::map<std::string_view, std::vector<std::string_view>> by_reason;
  for (const auto& [name, function] : findings.functions)
    if (function->group == Class::refused) by_reason[function->why].push_back(name);
  for (const auto& [why, names] : by_reason) std::cout << "  refused: " << list(names) << ": " << why << "\n";
}

bool will_run(const Findings& findings) {
  return findings.obstacles.empty() && names_of(findings, Class::refused).empty();
}

void print(const std::string& program, const Findings& findings) {
  if (will_run(findings))
    std::cout << program << ": will run under libemu" << (findings.preload.empty() ? "" : " with --preload")
              << "\n";
  else if (!findings.obstacles.empty())
    std::cout << program << ": will not run under libemu\n";
  else
    std::cout << program << ": will stop under libemu if it calls a refused function\n";
  for (const std::string& obstacle : findings.obstacles) std::cout << "  " << obstacle << "\n";
  if (!findings.preload.empty()) std::cout << "  " << findings.preload << "\n";
  if (findings.shim) std::cout << "  libemu: " << *findings.shim << "\n";
  print_refused(findings);
  if (!findings.loads.empty())
    std::cout << "  note: it can load code while it runs (" << list(findings.loads)
              << "); calls in that code are not checked\n";
  print_functions(findings, Class::emulated, "emulated");
  print_functions(findings, Class::passed, "left to the MPI library");
  if (!findings.profiling.empty())
    std::cout << "  called as PMPI, treated like MPI: " << list(findings.profiling) << "\n";
  if (!findings.unknown.empty())
    std::cout << "  warning: not known to libemu, left to the MPI library: " << list(findings.unknown)
              << "\n";
  if (!findings.sleeps.empty())
    std::cout << "  note: it sleeps (" << list(findings.sleeps)
              << "): virtual time advances as long, and the process does not sleep here\n";
  if (!findings.threads.empty())
    std::cout << "  warning: it makes threads (" << list(findings.threads)
              << "): their work between two calls counts as if it were spread over node.cores, and several "
                 "may call "
                 "MPI only after MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE\n";
}

int complain(const Failure& failure, int exit_code) {
  std::cerr << "emu check: " << failure.message << "\n";
  return exit_code;
}

// Prints the command that runs them.
void print_command(const std::vector<Program>& programs, bool preload) {
  std::cout << (programs.size() == 1 ? "run it by:" : "run them by:") << " emu run "
            << (preload ? "--preload " : "");
  const char* option = "-n N --target TARGET ";
  for (const Program& program : programs) {
    std::cout << option << shell_word(program.name);
    for (const std::string& word : program.arguments) std::cout << ' ' << shell_word(word);
    option = " : -n N ";
  }
  std::cout << "\n";
}

Result<std::vector<Program>> programs_of(const std::vector<std::string>& args) {
  const bool several = std::find(args.begin(), args.end(), ":") != args.end();
  if (args.empty() || args[0].empty() || args[0][0] == '-' || (!several && args.size() > 1))
    return fail(usage);
  return parse_programs(args, several ? std::optional(1) : std::nullopt);
}

}  // namespace
}  // namespace emu::app::checks

namespace emu::app {

int check(const std::vector<std::string>& args) {
  using namespace checks;
  if (args.size() == 1 && (args[0] == "--help" || args[0] == "-h")) {
    std::cout << usage;
    return 0;
  }
  const auto programs = programs_of(args);
  if (!programs) {
    std::cerr << (programs.error().message == usage ? "" : "emu check: ") << programs.error().message << "\n";
    return 2;
  }
  bool good = true, obstacles = false, preload = false;
  std::vector<std::string> paths;
  for (const Program& program : *programs) {
    const auto path = program_path(program.name);
    if (!path) return complain(path.error(), 2);
    paths.push_back(*path);
  }
  for (const std::string& path : paths) {
    const auto findings = look_into(path);
    if (!findings) return complain(findings.error(), 1);
    print(path, *findings);
    good = good && will_run(*findings);
    obstacles = obstacles || !findings->obstacles.empty();
    preload = preload || !findings->preload.empty();
  }
  if (!obstacles) print_command(*programs, preload);
  return good ? 0 : 1;
}

}  // namespace emu::app
