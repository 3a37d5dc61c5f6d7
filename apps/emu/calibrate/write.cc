#include "calibrate/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace emu::app::calibration {
namespace {

// A decimal number in the form of target files: no exponent, no trailing zeros.
std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", std::max(0.0, value), digits);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// 4 significant digits are enough for an interval.
std::string rounded(double value) { return fmt::format("{:.6g}", value); }

// The greater half of the interval, so that it covers both ends.
double half_width(const Value& v) { return std::max(v.high - v.value, v.value - std::max(0.0, v.low)); }

std::string comment(const Value& v, double scale, const std::string& unit) {
  if (v.value == 0 && v.high == 0) return "not distinguishable from 0";
  return fmt::format("{} ... {} {} (95 %)", rounded(std::max(0.0, v.low) * scale), rounded(v.high * scale),
                     unit);
}

// "50us +- 0.6us", for a value in `scale`ths of a second. An exactly known value has the half-width 0; without
// an interval it would look unmeasured. A value that could not be distinguished from 0 has no interval.
std::string with_interval(const Value& v, double scale, int digits, const std::string& unit) {
  const std::string half = decimal(half_width(v) * scale, digits);
  return "\"" + decimal(v.value * scale, digits) + unit +
         (half == "0" && (v.value == 0 || unit.empty()) ? "" : " +- " + half + unit) + "\"";
}

std::string line(const std::string& assignment, const std::string& what) {
  return fmt::format("{:<44} # {}\n", assignment, what);
}

std::string time_line(const std::string& key, const Value& v, const std::string& what = "") {
  return line(key + " = " + with_interval(v, 1e6, 6, "us"), what + comment(v, 1e6, "us"));
}

std::string rate_line(const std::string& key, const Value& v, const std::string& what = "") {
  return line(key + " = " + with_interval(v, 1e12, 3, "ps"), what + comment(v, 1e12, "ps"));
}

std::string overhead_table(const std::string& name, const Overhead& overhead) {
  return fmt::format("\n[network.{}]\n", name) + time_line("fixed", overhead.fixed) +
         time_line("per_process", overhead.per_process) + rate_line("per_byte", overhead.per_byte);
}

std::string limit_line(const Fit& fit) {
  if (!fit.eager_limit) return line("eager_limit = \"unlimited\"", "S: no send waited for its receiver");
  return line(fmt::format("eager_limit = \"{}B\"", *fit.eager_limit),
              "S: longer sends wait for the receiver");
}

std::string trips_line(const Fit& fit) {
  if (!fit.handshake) return "";
  return line(fmt::format("handshake_trips = {}", fit.handshake_trips),
              fmt::format("of a longer message, before its data leaves: {:.1f} ... {:.1f} (95 %)",
                          std::max(0.0, fit.trips.low), fit.trips.high));
}

// The rate of a card has no interval in a target file.
std::string card_rate(const std::string& key, const Value& per_byte, const std::string& what) {
  const auto rate = [](double seconds) { return rounded(1e-9 / std::max(seconds, 1e-15)); };
  return line(key + " = \"" + decimal(per_byte.value * 1e12, 3) + "ps\"",
              fmt::format("{}{} GB/s, {} ... {}", what, rate(per_byte.value), rate(per_byte.high),
                          rate(per_byte.low)));
}

std::string card_lines(const CardFit& cards) {
  std::string text = "card = \"node\"\n" + card_rate("card_bandwidth", cards.per_byte,
                                                     cards.filled ? "all ranks of a node: " : "at least: ");
  switch (cards.duplex) {
    case CardFit::Duplex::full:
      return text + "duplex = \"full\"\n";
    case CardFit::Duplex::half:
      return text + "duplex = \"half\"\n";
    case CardFit::Duplex::joint:
      break;
  }
  return text + card_rate("duplex", cards.both_per_byte, "both directions: ");
}

// Text in quotes in TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + "\"";
}

// A number without an interval needs no quotes.
std::string speed(const Value& v) {
  const Value shown{std::max(v.value, 1e-6), v.low, v.high};
  const std::string text = with_interval(shown, 1, 4, "");
  return text.find(' ') == std::string::npos ? text.substr(1, text.size() - 2) : text;
}

std::string buffers_line(const Fit& fit) {
  if (!fit.cold) return "# Buffers were warm: all messages had the same memory.\n";
  std::string text = "# Buffers were cold: each message had memory that was in no cache.";
  const auto shown = [](const Value& v) {
    const std::string low = rounded(std::max(0.0, v.low) * 1e12), high = rounded(v.high * 1e12);
    return rounded(v.value * 1e12) + " ps" + (low == high ? "" : fmt::format(" ({} to {})", low, high));
  };
  if (fit.warm_send && fit.warm_receive)
    text += fmt::format(" With warm ones: send.per_byte {}, receive.per_byte {}.",
                        shown(fit.warm_send->per_byte), shown(fit.warm_receive->per_byte));
  return text + "\n";
}

}  // namespace

std::string to_toml(const Fit& fit, const Description& description) {
  std::string text = "# Written by emu calibrate. " + description.how + "\n" + buffers_line(fit);
  if (fit.handshake)
    text += fmt::format(
        "# A long message takes {} us more than overheads and bytes explain; by the model that is {} L = {} "
        "us.\n",
        rounded(fit.handshake->value * 1e6), fit.handshake_trips + 1,
        rounded((fit.handshake_trips + 1) * fit.latency.value * 1e6));
  for (const std::string& note : fit.notes) text += "# " + note + ".\n";
  text += "name = " + quoted(description.name) + "\n" + "compute = \"measured\"\n" +
          line("host_speed = " + decimal(std::max(description.host_speed, 1e-6), 4),
               "of the machine on which emu calibrate ran");
  text += "\n[network]\n" + time_line("latency", fit.latency, "L: ") + time_line("gap", fit.gap, "g: ") +
          rate_line("gap_per_byte", fit.gap_per_byte, "G: ") + limit_line(fit) + trips_line(fit) +
          (description.cards ? card_lines(*description.cards)
                             : fmt::format("card = \"{}\"\n", fit.serial ? "serial" : "free"));
  text += overhead_table("send", fit.send) + overhead_table("receive", fit.receive);
  text += "\n[network.poll]\n" + time_line("fixed", fit.poll);
  text += fmt::format("\n[[node]]\ncount = {}\nslots = {}\n", description.nodes,
                      description.cards ? description.cards->slots : 1) +
          line("speed = " + speed(fit.speed), comment(fit.speed, 1, ""));
  return text;
}

namespace {

std::string overhead_table(const std::string& name, const Value& fixed, const Value& per_byte) {
  return "\n[" + name + "]\n" + time_line("fixed", fixed) + rate_line("per_byte", per_byte);
}

std::string overhead_tables(const std::string& of, const PieceFit& piece) {
  return overhead_table(of + ".send", piece.send, piece.send_per_byte) +
         overhead_table(of + ".receive", piece.receive, piece.receive_per_byte);
}

}  // namespace

std::string to_toml(const PiecewiseFit& fit, const Description& description) {
  const PieceFit& last = fit.pieces.back();
  std::string text = "# Written by emu calibrate. " + description.how + "\n";
  text += fmt::format("# Half of the round trips lie within {:.2g} % of the fit.\n", 100 * fit.off);
  for (const std::string& note : fit.notes) text += "# " + note + ".\n";
  text += "name = " + quoted(description.name) + "\ncompute = \"declared\"\n\n[network]\n" +
          time_line("latency", last.latency, "L: ") + rate_line("gap_per_byte", last.gap_per_byte, "G: ");
  if (fit.reduce_per_byte) text += rate_line("reduce_per_byte", *fit.reduce_per_byte);
  if (fit.copy_per_byte) text += rate_line("copy_per_byte", *fit.copy_per_byte);
  text += "eager_limit = " +
          (fit.eager_limit ? fmt::format("\"{}B\"", *fit.eager_limit) : std::string("\"unlimited\"")) +
          fmt::format("\ncard = \"{}\"\n", fit.serial ? "serial" : "free") + overhead_tables("network", last);
  if (fit.poll) text += "\n[network.poll]\n" + time_line("fixed", *fit.poll);
  for (std::size_t i = 0; i + 1 < fit.pieces.size(); ++i) {
    const PieceFit& piece = fit.pieces[i];
    text += fmt::format("\n[[network.piece]]\nup_to = \"{:.0f}B\"\n", piece.up_to) +
            time_line("latency", piece.latency) + rate_line("gap_per_byte", piece.gap_per_byte) +
            overhead_tables("network.piece", piece);
  }
  return text + fmt::format("\n[[node]]\ncount = {}\nslots = 1\n", description.nodes);
}

}  // namespace emu::app::calibration
