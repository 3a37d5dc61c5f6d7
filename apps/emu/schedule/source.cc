#include "schedule/source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "record/program.h"
#include "replay/replay.h"
#include "schedule/play.h"
#include "skeleton/play/play.h"
#include "skeleton/program/text.h"

namespace emu::app::schedules {
namespace {

bool is_skeleton(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string word(skeleton::text_magic.size() + 1, '\0');
  in.read(word.data(), static_cast<std::streamsize>(word.size()));
  return in.gcount() == static_cast<std::streamsize>(word.size()) && word.starts_with(skeleton::text_magic) &&
         (word.back() == '\n' || word.back() == '\r');
}

Result<skeleton::Skeleton> read_skeleton(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  if (!in) return fail(path + ": cannot be read");
  return skeleton::parse_text(std::move(all).str(), path);
}

Result<Source> skeleton_source(const std::string& path, const std::vector<std::string>& arguments) {
  const auto read = read_skeleton(path);
  if (!read) return tl::unexpected(read.error());
  Source source{.path = path, .ranks = read->ranks, .kind = Kind::skeleton};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool joined = word.starts_with("--scale=");
    if (!joined && (word != "--scale" || i + 1 == arguments.size()))
      return fail("invalid argument of the skeleton " + path + ": \"" + word + "\" (expected --scale K)");
    const std::string text = joined ? word.substr(8) : arguments[++i];
    char* end = nullptr;
    source.scale = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(source.scale >= 1 && source.scale <= 1e9))
      return fail("invalid --scale of the skeleton: \"" + text + "\" (expected 1 to 1e9)");
  }
  return source;
}

Result<Source> recording_source(const std::string& path, const std::vector<std::string>& arguments) {
  const auto recording = replay::open_recording(path);
  if (!recording) return tl::unexpected(recording.error());
  if (!arguments.empty())
    return fail("invalid argument of the recorded program " + path + ": \"" + arguments[0] +
                "\" (expected none)");
  return Source{.path = path, .ranks = recording->ranks, .kind = Kind::recording};
}

class PlayableSchedule final : public Playable {
 public:
  explicit PlayableSchedule(Schedule schedule) : schedule_(std::move(schedule)) {}
  Result<record::RunSummary> play(const target::Target& target, const std::string& trace) override {
    return schedules::play(schedule_, target, trace);
  }

 private:
  const Schedule schedule_;
};

class PlayableRecording final : public Playable {
 public:
  explicit PlayableRecording(replay::Recording recording) : recording_(std::move(recording)) {}
  Result<record::RunSummary> play(const target::Target& target, const std::string& trace) override {
    return replay::play(recording_, target, trace);
  }

 private:
  const replay::Recording recording_;
};

class PlayableSkeleton final : public Playable {
 public:
  PlayableSkeleton(skeleton::Skeleton skeleton, const Source& source)
      : skeleton_(std::move(skeleton)),
        scaling_(skeleton::scale_down(skeleton_, source.scale)),
        name_(std::filesystem::path(source.path).filename().string()) {}
  Result<record::RunSummary> play(const target::Target& target, const std::string& trace) override {
    auto played = skeleton::play(skeleton_, scaling_, target, name_, trace);
    if (!played) return tl::unexpected(played.error());
    return std::move(played->run);
  }

 private:
  const skeleton::Skeleton skeleton_;
  const skeleton::Scaling scaling_;
  const std::string name_;
};

}  // namespace

bool is_source(const std::string& path) {
  return replay::is_recording(path) || is_skeleton(path) || is_schedule(path);
}

std::vector<std::string> files_of(const std::string& path) {
  std::vector<std::string> files;
  if (const auto recording = replay::open_recording(path); replay::is_recording(path) && recording)
    for (int rank = 0; rank < recording->ranks; ++rank) files.push_back(record::program_of(path, rank));
  else
    files.push_back(path);
  return files;
}

const char* noun(const Source& source) {
  constexpr const char* nouns[] = {"schedule", "recorded program", "skeleton"};
  return nouns[static_cast<int>(source.kind)];
}

Result<Source> read_any(const std::string& path, const std::vector<std::string>& arguments) {
  if (replay::is_recording(path)) return recording_source(path, arguments);
  if (is_skeleton(path)) return skeleton_source(path, arguments);
  return read_source(path, arguments);
}

Result<std::unique_ptr<Playable>> open(const Source& source, const target::Target& target) {
  switch (source.kind) {
    case Kind::goal: {
      auto schedule = load(source);
      if (!schedule) return tl::unexpected(schedule.error());
      return std::make_unique<PlayableSchedule>(std::move(*schedule));
    }
    case Kind::recording: {
      auto recording = replay::open_recording(source.path);
      if (!recording) return tl::unexpected(recording.error());
      if (const auto can = replay::can_replay(*recording, target); !can) return tl::unexpected(can.error());
      return std::make_unique<PlayableRecording>(std::move(*recording));
    }
    case Kind::skeleton:
      break;
  }
  auto read = read_skeleton(source.path);
  if (!read) return tl::unexpected(read.error());
  return std::make_unique<PlayableSkeleton>(std::move(*read), source);
}

}  // namespace emu::app::schedules
