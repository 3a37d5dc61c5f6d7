#include "scatter/options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "base/number.h"
#include "base/units.h"
#include "common/command_line.h"
#include "scatter/problem.h"

namespace emu::app::scatters {
namespace {

namespace po = boost::program_options;

const char usage[] =
    "Usage: emu scatter --target FILE --items N --item-bytes B --item-seconds C [OPTIONS]\n"
    "Computes how many of N items each rank gets from the root by MPI_Scatterv so that the last rank\n"
    "finishes as early as possible on the target, and when each rank has its items and finishes. An item\n"
    "has B bytes and costs C seconds on the reference CPU. The root sends to one rank after another; it\n"
    "computes when it has sent all.\n"
    "Exit code: 0 good, 1 the picture could not be drawn, 2 wrong use or input.\n\n";

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()                                                                                 //
      ("target", text("FILE"), "the cluster: a path, or the name of a target that comes with libemu")   //
      (",n", text("N"), "ranks; all slots of the target if not given")                                  //
      ("items", text("N"), "number of items")                                                           //
      ("item-bytes", text("SIZE"), "size of an item: a number of bytes, or with a unit, such as 1KiB")  //
      ("item-seconds", text("TIME"),
       "cost of an item on the reference CPU (speed 1): seconds, or with a unit, such as 9.3ms")  //
      ("trace", text("FOLDER"),
       "take the cost of an item on each rank from a run that emu run --trace recorded: from the tasks that "
       "masters dealt, or else from the work of each rank, if its items were equal parts")  //
      ("trace-items", text("N"),
       "items of that run, if they were equal parts; those of --items if not given")                       //
      ("task-items", text("N"), "items of each task of that run, if a master dealt them; 1 if not given")  //
      ("root", text("RANK"), "rank that deals the items; best: the rank with the least makespan (0)")      //
      ("data-at", text("RANK"),
       "rank that has the items: they go to the root first; the root if not given")  //
      ("order", text("ORDER"),
       "order in which the root sends: given, by rank; or bandwidth, the best connected first (given)")  //
      ("method", text("METHOD"),
       "exact; heuristic, a linear program that is rounded; closed, a formula; uniform, equal parts "
       "(exact)")  //
      ("json", text("FILE"),
       "write all as JSON; - or nothing is standard output, where it replaces the table")  //
      ("picture", text("FILE"), "draw it: FILE.png or FILE.svg; needs gnuplot")            //
      ("help,h", "show this help");
  return options;
}

tl::unexpected<Failure> wrong(const std::string& option, const std::string& text, const std::string& right) {
  return fail(option + ": invalid value: " + shown(text) + " (expected " + right + ")");
}

class Reader {
 public:
  explicit Reader(const po::variables_map& map) : map_(map) {}

  bool has(const char* option) const { return map_.count(option) > 0; }
  std::string text(const char* option) const { return map_[option].as<std::string>(); }

  Result<void> whole(const char* option, std::int64_t least, std::int64_t most, std::int64_t& to) const {
    if (!has(option)) return {};
    const auto value = read_number<std::int64_t>(text(option));
    if (!value || *value < least || *value > most)
      return wrong(std::string("--") + option, text(option),
                   "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    to = *value;
    return {};
  }

  Result<void> rank(const char* option, const std::string& right, std::optional<int>& to) const {
    if (!has(option)) return {};
    const auto value = read_number<int>(text(option));
    if (!value || *value < 0) return wrong(std::string("--") + option, text(option), right);
    to = *value;
    return {};
  }

  template <class T, std::size_t count>
  Result<void> word(const char* option, const char* const (&words)[count], T& to) const {
    if (!has(option)) return {};
    std::string right;
    for (std::size_t i = 0; i < count; ++i) {
      if (text(option) == words[i]) {
        to = static_cast<T>(i);
        return {};
      }
      right += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(words[i]);
    }
    return wrong(std::string("--") + option, text(option), right);
  }

 private:
  const po::variables_map& map_;
};

Result<void> read_item(const Reader& in, Options& to) {
  if (const auto read = in.whole("items", 0, scatter::most_items, to.items); !read) return read;
  if (const auto plain = read_number<std::int64_t>(in.text("item-bytes"))) {
    if (*plain < 0) return wrong("--item-bytes", in.text("item-bytes"), "a size of 0 bytes or more");
    to.item_bytes = *plain;
  } else if (const auto size = parse_bytes(in.text("item-bytes"))) {
    to.item_bytes = *size;
  } else {
    return fail("--item-bytes: " + size.error().message);
  }
  if (!in.has("item-seconds")) return {};
  const std::string text = in.text("item-seconds");
  if (const auto seconds = read_number<double>(text))
    to.item_seconds = *seconds;
  else if (const auto interval = parse_interval(text))
    to.item_seconds = interval->seconds();
  if (!to.item_seconds || !(*to.item_seconds >= 0 && *to.item_seconds <= 3600))
    return wrong("--item-seconds", text, "a time from 0 to 3600 s, in seconds or with a unit, such as 9.3ms");
  return {};
}

Result<void> read_rest(const Reader& in, Options& to) {
  std::optional<int> ranks;
  if (in.has("-n")) {
    ranks = read_number<int>(in.text("-n"));
    if (!ranks || *ranks < 1) return wrong("-n", in.text("-n"), "a number of ranks from 1");
  }
  to.ranks = ranks;
  const std::string right = "a rank, from 0";
  if (in.has("root") && in.text("root") == "best")
    to.root.reset();
  else if (const auto read = in.rank("root", right + ", or best", to.root); !read)
    return read;
  if (const auto read = in.rank("data-at", right, to.data_at); !read) return read;
  if (const auto read = in.word("order", order_names, to.order); !read) return read;
  if (const auto read = in.word("method", method_names, to.method); !read) return read;
  for (const auto& [option, value] :
       {std::pair("trace-items", &to.trace_items), std::pair("task-items", &to.task_items)}) {
    if (in.has(option) && !in.has("trace")) return fail(std::string("--") + option + " needs --trace");
    if (const auto read = in.whole(option, 1, scatter::most_items, *value); !read) return read;
  }
  if (in.has("trace")) to.trace = in.text("trace");
  if (in.has("json")) to.json = in.text("json");
  if (in.has("picture")) to.picture = in.text("picture");
  return {};
}

// "--json" without a file is "--json -".
std::vector<std::string> with_file(std::vector<std::string> args) {
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] == "--json" && (i + 1 == args.size() || args[i + 1].starts_with("--")))
      args.insert(args.begin() + static_cast<std::ptrdiff_t>(i) + 1, "-");
  return args;
}

}  // namespace

std::string help_text() {
  std::ostringstream text;
  text << usage << description();
  return text.str();
}

Result<Options> parse_options(const std::vector<std::string>& args) {
  Options options;
  try {
    po::variables_map map;
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(with_file(args))
                  .options(description())
                  .positional(po::positional_options_description())
                  .style(style)
                  .run(),
              map);
    options.help = map.count("help") > 0;
    if (options.help) return options;
    for (const char* needed : {"target", "items", "item-bytes"})
      if (!map.count(needed)) return fail(std::string("--") + needed + " is missing");
    if (map.count("item-seconds") + map.count("trace") != 1)
      return fail("the cost of an item is missing or given twice (expected --item-seconds or --trace)");
    options.target = map["target"].as<std::string>();
    if (const auto named = names_files(map, {"json", "picture", "trace"}); !named)
      return tl::unexpected(named.error());
    const Reader in(map);
    if (const auto read = read_item(in, options); !read) return tl::unexpected(read.error());
    if (const auto read = read_rest(in, options); !read) return tl::unexpected(read.error());
  } catch (const po::error& error) {
    return fail(error.what());
  }
  return options;
}

}  // namespace emu::app::scatters
