// emu calibrate --from: segments of a curve over message sizes, and the parameters of a network with pieces by size.
#include "calibrate/piecewise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/segments.h"
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
