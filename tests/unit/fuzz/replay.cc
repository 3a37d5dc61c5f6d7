// replay RUNS SECONDS FILE...: runs a harness with the files, and then with random changes of them,
// the same ones in every run. It is the short run of the test suite, which does not need libFuzzer.
// If EMU_FUZZ_KEEP is set, each input is first written to the file "last-input" below TMPDIR.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/harness.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void give(const Bytes& input) {
  if (const char* path = std::getenv("EMU_FUZZ_KEEP"))
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), std::ssize(input));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

class Changes {
 public:
  explicit Changes(const std::vector<Bytes>& files) : files_(files) {}

  Bytes next() {
    Bytes input = pick(files_);
    for (int i = below(4); i >= 0; --i) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  const Bytes& pick(const std::vector<Bytes>& of) { return of[below(of.size())]; }
  Bytes::iterator place(Bytes& in) { return in.begin() + static_cast<std::ptrdiff_t>(below(in.size() + 1)); }

  // Part of another file, or of the same one.
  Bytes part() {
    const Bytes& from = pick(files_);
    const std::size_t first = below(from.size()),
                      length = below(std::min<std::size_t>(from.size() - first, 64) + 1);
    return {from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(first + length)};
  }

  void change(Bytes& input) {
    static const std::vector<std::string> words = {
        "0",   "-1",    "1e308", "9223372036854775807", "nan", "inf", "[", "]", "{", "\"", "\n", "=",
        "1ps", "1e30s", "\xff",  "4294967296"};
    switch (below(6)) {
      case 0:
        if (!input.empty()) input[below(input.size())] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        if (!input.empty()) input[below(input.size())] = static_cast<std::uint8_t>(random_());
        break;
      case 2: {
        const auto first = place(input);
        input.erase(
            first,
            first + static_cast<std::ptrdiff_t>(
                        below(std::min<std::size_t>(static_cast<std::size_t>(input.end() - first), 40) + 1)));
        break;
      }
      case 3: {
        const std::string& word = words[below(words.size())];
        input.insert(place(input), word.begin(), word.end());
        break;
      }
      case 4: {
        const Bytes more = part();
        input.insert(place(input), more.begin(), more.end());
        break;
      }
      default:
        input.resize(below(input.size() + 1));
        break;
    }
  }

  const std::vector<Bytes>& files_;
  std::mt19937_64 random_{20260101};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: replay RUNS SECONDS FILE...\n", stderr);
    return 2;
  }
  const auto runs = std::stoul(argv[1]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoul(argv[2]));
  std::vector<Bytes> files;
  for (int i = 3; i < argc; ++i) files.push_back(contents(argv[i]));
  for (const Bytes& file : files) give(file);
  const auto as_they_are = emu::fuzz::accepted;
  std::size_t done = 0;
  for (Changes changes(files); done < runs && std::chrono::steady_clock::now() < end; ++done)
    give(changes.next());
  std::printf("%zu files, of which %lu were accepted, and %zu changed ones, of which %lu were\n",
              files.size(), static_cast<unsigned long>(as_they_are), done,
              static_cast<unsigned long>(emu::fuzz::accepted - as_they_are));
  if (as_they_are > 0) return 0;
  std::fputs("no file was accepted: nothing behind the first check was tried\n", stderr);
  return 1;
}
