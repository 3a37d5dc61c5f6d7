// emu calibrate --from: measurements of other tools to pieces by message size.
#include "calibrate/import.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/piecewise.h"
#include "calibrate/write.h"
#include "target/target.h"

namespace emu::app::calibration {
namespace {

std::vector<Point> line(double from, double to, double factor, double fixed, double per_byte) {
  std::vector<Point> points;
  for (double k = from; k <= to; k *= factor) points.push_back({k, fixed + per_byte * k});
  return points;
}

void append(std::vector<Point>& all, const std::vector<Point>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(Segments, OneLineIsOneSegment) {
  const auto found = segments(line(1, 1 << 20, 2, 2e-6, 1e-10));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  EXPECT_NEAR(found->front().fixed.value, 2e-6, 1e-12);
  EXPECT_NEAR(found->front().per_byte.value, 1e-10, 1e-16);
}

TEST(Segments, ABreakIsFoundWhereItIs) {
  auto points = line(1, 4096, 2, 2e-6, 5e-10);
  append(points, line(8192, 1 << 22, 2, 6e-6, 1e-10));
  const auto found = segments(points);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->front().up_to, 4096);
  EXPECT_NEAR(found->back().fixed.value, 6e-6, 1e-11);
  EXPECT_NEAR(found->back().per_byte.value, 1e-10, 1e-15);
}

// Noise of 2 % makes no segments: the criterion limits their number.
TEST(Segments, NoiseIsNoBreak) {
  auto points = line(1, 1 << 22, 1.3, 2e-6, 1e-10);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].seconds *= 1 + 0.02 * std::sin(37.0 * static_cast<double>(i * i));
  const auto found = segments(points);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->size(), 1u);
  const Value& slope = found->front().per_byte;
  EXPECT_LT(slope.low, 1e-10);
  EXPECT_GT(slope.high, 1e-10);
}

TEST(Segments, NothingIsNegative) {
  // Steeper than the line from the first point: a line through both would begin below 0.
  const auto found = segments({{1000, 1e-6}, {2000, 3e-6}, {1000, 1e-6}}, 1);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_GE(found->front().fixed.value, 0);
  EXPECT_FALSE(segments({{1, 1e-6}, {1, 2e-6}}));
}

TEST(Segments, PointsOfOneSizeAreTheirMedian) {
  const auto found = medians({{2, 5}, {1, 1}, {2, 7}, {2, 6}, {1, 3}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].seconds, 2);
  EXPECT_EQ(found[1].seconds, 6);
}

Imported read(const std::string& text, Format format) {
  Imported all;
  const auto done = read_into(all, text, "x", format);
  EXPECT_TRUE(done) << done.error().message;
  return all;
}

std::string error_of(const std::string& text, Format format) {
  Imported all;
  const auto done = read_into(all, text, "x", format);
  EXPECT_FALSE(done);
  return done ? "" : done.error().message;
}

TEST(Import, Csv) {
  const Imported all =
      read("kind,bytes,seconds\n# a comment\nhalf_roundtrip,8,1e-6\nsend,8,2e-7\n", Format::csv);
  EXPECT_EQ(all.points.at("half_roundtrip")[0].bytes, 8);
  EXPECT_DOUBLE_EQ(all.points.at("send")[0].seconds, 2e-7);
  EXPECT_EQ(error_of("round,8,1e-6\n", Format::csv),
            "x:1: unknown kind of measurement: \"round\" (expected one of half_roundtrip, send, receive, "
            "stream, poll, "
            "reduce, copy)");
  EXPECT_EQ(error_of("send,8,fast\n", Format::csv), "x:1: invalid number: \"fast\" (expected 0 or more)");
  EXPECT_EQ(error_of("send,8\n", Format::csv), "x:1: expected three values: kind,bytes,seconds");
  EXPECT_EQ(error_of("\n", Format::csv),
            "x: holds no measurements of the format csv (expected lines kind,bytes,seconds)");
}

TEST(Import, OsuLatencyAndBandwidth) {
  const Imported all = read(
      "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1   1.25\n2   1.50\n"
      "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   500.0\n"
      "# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   900.0\n",
      Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);  // both directions at once is another kind of point
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
}

// Outputs of several tests in one file, in any order.
TEST(Import, OsuTestsOfOtherKindsAreNotRead) {
  const std::string latency = "# OSU MPI Latency Test v7.3\n# Size   Avg Latency(us)\n1   1.25\n";
  const std::string bandwidth =
      "# OSU MPI-CUDA Bandwidth Test v7.3\n# Size   Bandwidth (MB/s)\n1000   500.0\n";
  const std::string others =
      "# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   900.0\n"
      "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4   8.05\n"
      "# OSU MPI_Put Latency Test v7.3\n# Window creation: MPI_Win_allocate\n# Size   Latency (us)\n1   "
      "2.05\n";
  const Imported all = read(others + bandwidth + latency, Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
  EXPECT_NE(error_of(others, Format::osu).find("x: holds no measurements of the format osu"),
            std::string::npos);
}

TEST(Import, LinesOfSpreadsheets) {
  const Imported all = read("\xef\xbb\xbfkind,bytes,seconds\r\nhalf_roundtrip,8,1e-6\r\n\r\n", Format::csv);
  EXPECT_EQ(all.points.at("half_roundtrip").size(), 1u);
}

TEST(Import, ImbPingPongAlone) {
  const Imported all = read(
      "#---\n# Benchmarking PingPong \n# #processes = 2 \n#bytes #repetitions t[usec] Mbytes/sec\n"
      "      0       1000         2.00         0.00\n   1024       1000         4.00       256.00\n"
      "# Benchmarking Sendrecv \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
      "      0       1000         9.00         9.00 9.00\n",
      Format::imb);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_EQ(all.points.at("half_roundtrip")[0].bytes, 1);  // an empty message is one byte
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 4e-6);
}

// Saved from the output of PingPong: without the heading, or as cells.
TEST(Import, ImbTablesWithoutAHeading) {
  for (const std::string table :
       {"#bytes,#repetitions,t[usec],Mbytes/sec\n0,1000,2.00,0.00\n1024,1000,4.00,256.00\n",
        "# nodes a, b\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 2.00 0.00\n"
        "1024 1000 4.00 256.00\n"}) {
    const Imported all = read(table, Format::imb);
    ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u) << table;
    EXPECT_EQ(all.points.at("half_roundtrip")[1].bytes, 1024) << table;
    EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 4e-6) << table;
    EXPECT_EQ(all.notes, (std::vector<std::string>{
                             "x: a table without the line \"# Benchmarking\" was read as one of PingPong"}))
        << table;
  }
  // Of each pair of ranks, or of both directions at once.
  const std::string others =
      "#bytes,#repetitions,t_min[usec],t_max[usec],t_avg[usec],Mbytes/sec\n8,1000,1,3,2,4\n";
  EXPECT_EQ(
      error_of(others, Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  EXPECT_EQ(
      error_of("# Benchmarking PingPing\n#bytes #repetitions t[usec] Mbytes/sec\n8 1000 1 4\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  // Decimal commas are no separators.
  EXPECT_EQ(
      error_of("#bytes\t#repetitions\tt[usec]\tMbytes/sec\n8\t1000\t1,5\t4\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
}

TEST(Import, Netgauge) {
  const Imported all =
      read("## netgauge\nMessage Size\tTime (us)\n1\t1.5\n1\t1.7\n1024\t2.5\n", Format::netgauge);
  EXPECT_EQ(all.points.at("half_roundtrip").size(), 3u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[2].seconds, 2.5e-6);
}

// Quoted in a document, or indented: the headings count as well.
TEST(Import, OsuHeadingsMayBeIndented) {
  const Imported all = read(
      "  # OSU MPI Latency Test v7.3\n  # Size   Latency (us)\n  8   1.25\n"
      "  # OSU MPI Bandwidth Test v7.3\n  # Size   Bandwidth (MB/s)\n  1000   500.0\n"
      "\t# OSU MPI Allreduce Latency Test v7.3\n\t# Size   Avg Latency(us)\n\t8   9.5\n",
      Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
}

TEST(Import, LinesMayBeLabelledWithTheirRank) {
  for (const std::string label :
       {"0: ", "00: ", " 0: ", "[0] ", "[1,0]<stdout>:", "[prterun-a-7@1,0]<stdout>: "}) {
    Imported osu, imb, netgauge;
    ASSERT_TRUE(read_into(osu,
                          label + "# OSU MPI Latency Test v7.3\n" + label + "\n" + label +
                              "# Size          Latency (us)\n" + label + "8                       1.50\n",
                          "l", Format::osu))
        << label;
    ASSERT_EQ(osu.points["half_roundtrip"].size(), 1u) << label;
    EXPECT_EQ(osu.points["half_roundtrip"][0].bytes, 8) << label;
    ASSERT_TRUE(read_into(imb,
                          label + "# Benchmarking PingPong\n" + label +
                              "       #bytes #repetitions      t[usec]   Mbytes/sec\n" + label +
                              "            4         1000         2.50         1.60\n",
                          "i", Format::imb))
        << label;
    EXPECT_DOUBLE_EQ(imb.points["half_roundtrip"][0].seconds, 2.5e-6) << label;
    ASSERT_TRUE(read_into(netgauge, label + "1 3.25\n", "n", Format::netgauge)) << label;
    EXPECT_DOUBLE_EQ(netgauge.points["half_roundtrip"][0].seconds, 3.25e-6) << label;
  }
}

// Several pairs at a time share the network, and the table does not contain their number.
TEST(Import, OsuTestsOfSeveralPairsAreNotRead) {
  const std::string table = "# Size   Latency (us)\n8   4.25\n";
  for (const std::string test :
       {"# OSU MPI Multi Latency Test v7.1\n", "# OSU MPI Multi-threaded Latency Test v7.1\n",
        "# Own MPI Broadcast Latency Test\n"})
    EXPECT_EQ(error_of(test + table, Format::osu),
              "x: holds no measurements of the format osu (expected a table of osu_latency or osu_bw below "
              "its heading "
              "\"# OSU MPI Latency Test\" or \"# OSU MPI Bandwidth Test\")");
}

// Two placements in one file: neither is the network that is meant.
TEST(Import, RunsThatDisagreeAreNamed) {
  const std::string first = "# OSU MPI Latency Test v7.3\n# Size   Latency (us)\n8   0.40\n16   0.40\n";
  EXPECT_TRUE(read(first + "# Size   Latency (us)\n8   0.50\n16   0.45\n", Format::osu).warnings.empty());
  const Imported apart = read(first + "# Size   Latency (us)\n8   3.60\n16   0.45\n", Format::osu);
  ASSERT_EQ(apart.warnings.size(), 1u);
  EXPECT_EQ(apart.warnings[0],
            "x:6: 8 B took 3.6 us, and in an earlier table 0.4 us; the target has the median of both");
}

TEST(Import, ImbBenchmarksOfSimilarNames) {
  const std::string titles = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n";
  EXPECT_EQ(
      error_of("# Benchmarking Multi-PingPong\n" + titles + "8 1000 1.0 3.0 2.0 4.0\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  // The columns are those of the titles.
  const Imported all =
      read("# Benchmarking PingPong\r\n" + titles + "8 1000 1.0 3.0 2.0 4.0\r\n", Format::imb);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 2e-6);
  EXPECT_EQ(error_of("# Benchmarking PingPong\n#bytes #repetitions Mbytes/sec Msg/sec\n8 1000 4.0 500\n",
                     Format::imb),
            "x:2: PingPong without a time (expected the column t[usec] or t_avg[usec])");
}

TEST(Import, NetgaugeStatistics) {
  const Imported all = read(
      "## Netgauge\n## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q\n"
      "8 - 0.10 0.20 0.30 0.40 (0.05 1) - 1.10 1.20 1.30 1.40 (0.06 2) - 50.0 60.0 70.0 80.0\n",
      Format::netgauge);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.3e-6);
  EXPECT_DOUBLE_EQ(all.points.at("send")[0].seconds, 0.3e-6);
}

TEST(Import, NetgaugeLogGP) {
  const Imported all = read(
      "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n# to get o: ...\n"
      "1 10 2.4 4.2 24.9 1.2 0.1 0.15 -nan -nan -nan\n1025 10 3.4 8.8 36.0 1.2 0.2 0.25 0.2 0.0004 -nan\n",
      Format::netgauge);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 1.7e-6);
  EXPECT_DOUBLE_EQ(all.points.at("send")[1].seconds, 0.2e-6);
  EXPECT_DOUBLE_EQ(all.points.at("receive")[1].seconds, 0.25e-6);
  EXPECT_NEAR(all.points.at("stream")[1].seconds, 0.6e-6, 1e-15);  // 9 further messages in 5.4 us
}

TEST(Import, NetgaugeTablesOfOtherPatterns) {
  EXPECT_EQ(
      error_of("# Fixed Work Quantum Benchmark\n# cycle number    duration [us]\n0   12\n1   12\n",
               Format::netgauge),
      "x:3: a row below \"# cycle number    duration [us]\" (expected the table of the pattern one_one or "
      "loggp, or rows of bytes and microseconds)");
}

TEST(Import, CsvOfSpreadsheets) {
  const Imported all =
      read("\"kind\";\"bytes\";\"seconds\"\n\"half_roundtrip\"; 8; 1e-6\n# a comment\n", Format::csv);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1e-6);
  EXPECT_EQ(error_of("kind,bytes,us\nhalf_roundtrip,8,1\n", Format::csv),
            "x:1: unknown titles: \"kind,bytes,us\" (expected kind,bytes,seconds)");
}

// An exactly measured network of two pieces is found; with a handshake above 64 KiB.
TEST(Piecewise, FindsTheNetworkThatWasMeasured) {
  Imported measured;
  for (double k = 1; k <= 1 << 24; k *= 2) {
    const bool small = k <= 4096;
    const double o_s = 0.4e-6 + 1e-11 * k, o_r = 0.6e-6, latency = small ? 1e-6 : 2e-6;
    const double gap = small ? 3e-10 : 1e-10;
    const double way = o_s + latency + (k - 1) * gap + o_r;
    const double handshake = k <= 65536 ? 0 : 2 * (0.4e-6 + 1e-11 + 0.6e-6) + 2 * 1e-6;
    measured.points["half_roundtrip"].push_back({k, way + handshake});
    if (k <= 65536) {
      measured.points["send"].push_back({k, o_s});
      measured.points["receive"].push_back({k, o_r});
    }
  }
  measured.points["poll"] = {{1, 2e-7}};
  measured.points["reduce"] = {
      {1000, 1e-6 + 1000 * 2e-10}, {2000, 1e-6 + 2000 * 2e-10}, {4000, 1e-6 + 4000 * 2e-10}};
  const auto found = fit(measured, 65536, true);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->pieces.size(), 3u);  // one more at the eager limit
  EXPECT_EQ(found->pieces[0].up_to, 4096);
  EXPECT_EQ(found->pieces[1].up_to, 65536);
  EXPECT_NEAR(found->pieces[0].latency.value, 1e-6, 1e-9);
  for (const int i : {1, 2}) {
    const PieceFit& piece = found->pieces[static_cast<std::size_t>(i)];
    EXPECT_NEAR(piece.latency.value, 2e-6, 2e-8) << i;
    EXPECT_NEAR(piece.gap_per_byte.value, 1e-10, 1e-13) << i;
    EXPECT_NEAR(piece.send.value, 0.4e-6, 1e-9) << i;
    EXPECT_NEAR(piece.receive.value, 0.6e-6, 1e-9) << i;
  }
  EXPECT_NEAR(found->poll->value, 2e-7, 1e-12);
  EXPECT_NEAR(found->reduce_per_byte->value, 2e-10, 1e-13);

  const std::string text = to_toml(*found, {"test", 4, 1.0, "From x."});
  const auto target = target::parse(text, "x.toml");
  ASSERT_TRUE(target) << target.error().message << "\n" << text;
  EXPECT_EQ(target->network.pieces.size(), 2u);
  EXPECT_EQ(target->network.eager_limit, 65536);
  EXPECT_EQ(target->network.card, model::Card::serial);
  EXPECT_TRUE(target->uncertainties.contains("network.latency"));
  // The cost of a single message equals the measurement.
  const model::Network network(target->network, 2);
  for (const Point& p : measured.points["half_roundtrip"])
    EXPECT_NEAR(network.one_way(0, 1, static_cast<model::Bytes>(p.bytes)).seconds(), p.seconds,
                0.01 * p.seconds)
        << p.bytes;
}

// From 1000 to 2000 bytes the times rise as if a message without bytes took no time. Its parts stay positive.
TEST(Piecewise, ASteepRiseIsNoShortLatency) {
  Imported measured;
  for (double k = 1; k <= 1 << 20; k *= 1.1) {
    const double way = k < 1000 ? 10e-6 : k <= 2000 ? 10e-6 * k / 1000 : 20e-6 + 1e-9 * k;
    measured.points["half_roundtrip"].push_back({k, way});
    measured.points["send"].push_back({k, 3e-6});
  }
  const auto found = fit(measured, {}, true);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_GE(found->pieces.size(), 3u);
  for (const PieceFit& piece : found->pieces) {
    EXPECT_NEAR(piece.send.value, found->pieces[0].send.value, 0.2 * 3e-6) << piece.up_to;
    EXPECT_GT(piece.latency.value, 0.5e-6) << piece.up_to;
  }
  // The best line through 10 us at 1000 bytes and 20 us at 2000 bytes that begins at 5 us is 12.5 % off.
  auto piece = found->pieces.begin();
  for (const Point& p : measured.points["half_roundtrip"]) {
    while (p.bytes > piece->up_to && piece + 1 != found->pieces.end()) ++piece;
    EXPECT_NEAR(piece->of(p.bytes), p.seconds, 0.13 * p.seconds) << p.bytes;
  }
}

// Consecutive messages are faster than separate ones: the difference is in the overheads, not on the wire.
TEST(Piecewise, StreamsTellTheWireFromTheEnds) {
  Imported measured;
  for (double k = 1; k <= 1 << 22; k *= 2) {
    measured.points["half_roundtrip"].push_back({k, 5e-6 + 1.5e-9 * k});
    measured.points["stream"].push_back({k, 1e-6 + 0.9e-9 * k});
  }
  const auto found = fit(measured, {}, true);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->pieces.size(), 1u);
  const PieceFit& piece = found->pieces[0];
  EXPECT_NEAR(piece.gap_per_byte.value, 0.9e-9, 1e-12);
  EXPECT_NEAR(piece.send_per_byte.value, 0.3e-9, 1e-12);
  EXPECT_NEAR(piece.of(1 << 20), 5e-6 + 1.5e-9 * (1 << 20), 1e-6);
  EXPECT_FALSE(found->notes.empty());
  EXPECT_FALSE(fit(Imported{}, {}, true));
}

// Single messages take longer here than consecutive messages. The difference is neither on the wire nor at the ends.
TEST(Piecewise, AHighRateOfConsecutiveMessagesIsKept) {
  Imported measured;
  for (double k = 1; k <= 4096; k *= 2) {
    measured.points["half_roundtrip"].push_back({k, 1.6e-6 + 1.3e-9 * k});
    measured.points["stream"].push_back({k, 0.45e-6 + 0.16e-9 * k});
  }
  const auto found = fit(measured, {}, true);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LE(found->pieces.size(), 8u);
  auto piece = found->pieces.begin();
  for (std::size_t i = 0; i < measured.points["stream"].size(); ++i) {
    const Point &alone = measured.points["half_roundtrip"][i], &consecutive = measured.points["stream"][i];
    const double k = alone.bytes;
    while (k > piece->up_to && piece + 1 != found->pieces.end()) ++piece;
    EXPECT_NEAR(piece->send.value + piece->send_per_byte.value * k, consecutive.seconds,
                0.01 * consecutive.seconds)
        << k;
    EXPECT_NEAR(piece->of(k), alone.seconds, 0.11 * alone.seconds) << k;
  }
}

// Too many steps of the latency would be needed: the time of single messages counts.
TEST(Piecewise, AHighRateOfConsecutiveMessagesIsNotKeptForAllSizes) {
  Imported measured;
  for (double k = 1; k <= 1 << 22; k *= 2) {
    measured.points["half_roundtrip"].push_back({k, 1.6e-6 + 1.3e-9 * k});
    measured.points["stream"].push_back({k, 0.45e-6 + 0.16e-9 * k});
  }
  const auto found = fit(measured, {}, true);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->pieces.size(), 1u);
  for (const Point& p : measured.points["half_roundtrip"])
    EXPECT_NEAR(found->pieces[0].of(p.bytes), p.seconds, 0.01 * p.seconds) << p.bytes;
}

}  // namespace
}  // namespace emu::app::calibration
