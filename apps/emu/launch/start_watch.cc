#include "launch/start_watch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/number.h"
#include "common/environment.h"

namespace emu::app {

namespace fs = std::filesystem;

Result<std::chrono::seconds> start_limit() {
  const std::string text = environment().start_limit;
  if (const auto value = read_number(text, 0)) return std::chrono::seconds(*value);
  return fail("EMU_START_LIMIT: invalid number of seconds: " + shown(text) +
              " (expected for example 60, or 0 for no limit)");
}

StartWatch::StartWatch(pid_t process, std::chrono::seconds limit) : process_(process), limit_(limit) {
  begun_ = limit == std::chrono::seconds(0);
}

bool StartWatch::failed() {
  if (!begun_) begun_ = begun();
  return !begun_ && Clock::now() - since_ > limit_;
}

bool StartWatch::begun() {
  const fs::path folder = "/proc/" + std::to_string(process_);
  std::error_code error;
  const fs::path program = fs::read_symlink(folder / "exe", error);
  if (error || !program.filename().string().starts_with("mpiexec.hydra")) return true;
  int sockets = 0;
  for (fs::directory_iterator file(folder / "fd", error), end; !error && file != end; file.increment(error)) {
    const std::string number = file->path().filename();
    std::error_code gone;
    const bool own = number != "0" && number != "1" && number != "2";
    if (own && fs::read_symlink(file->path(), gone).string().starts_with("socket:")) ++sockets;
  }
  if (error) return true;
  connections_ = std::max(0, sockets - 1);  // one socket listens
  std::ifstream children(folder / "task" / std::to_string(process_) / "children");
  helpers_ = 0;
  for (pid_t child; children >> child;) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t state = text.rfind(')');
    // Ended processes that were not waited for do not count.
    if (state != std::string::npos && state + 2 < text.size() && text[state + 2] != 'Z') ++helpers_;
  }
  return connections_ >= std::max(1, helpers_);
}

std::string StartWatch::why() const {
  std::string text = "mpirun has started nothing within " + std::to_string(limit_.count()) + " s: ";
  if (helpers_ == 0)
    text += "the remote shells that it uses have ended";
  else
    text += std::to_string(connections_) + " of " + std::to_string(helpers_) + " hosts have answered";
  return text +
         ". Can each host be reached from here, by ssh without a password? EMU_START_LIMIT=SECONDS waits "
         "longer";
}

}  // namespace emu::app
