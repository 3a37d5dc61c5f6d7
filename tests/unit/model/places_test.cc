// Places are stored as runs, and read back unchanged.
#include "model/places.h"

#include <gtest/gtest.h>

#include <random>

namespace emu::model {
namespace {

using Place = Places::Place;

void expect(const std::vector<Place>& list, std::size_t runs) {
  Places places;
  for (const Place place : list) places.push_back(place);
  ASSERT_EQ(places.size(), list.size());
  EXPECT_EQ(places.runs(), runs);
  std::size_t rank = 0;
  for (const Place place : places) {
    EXPECT_EQ(place, list[rank]) << "rank " << rank;
    EXPECT_EQ(places[rank], list[rank]) << "rank " << rank;
    ++rank;
  }
  EXPECT_EQ(rank, list.size());
}

TEST(Places, AreKeptAsRuns) {
  expect({}, 0);
  expect({{3, 0}}, 1);
  expect({{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 1);
  expect({{0, 0}, {0, 0}, {0, 0}}, 1);
  expect({{4, 0}, {4, 0}, {5, 0}, {5, 0}, {6, 0}}, 1);
}

TEST(Places, WhatIsNotEvenBeginsAnother) {
  expect({{0, 0}, {0, 0}, {1, 0}, {2, 0}}, 2);
  expect({{0, 0}, {1, 0}, {1, 0}}, 2);
  expect({{0, 0}, {1, 1}, {2, 1}}, 2);
  expect({{0, 0}, {0, 1}}, 2);
  expect({{0, 0}, {1, 0}, {2, 0}, {0, 0}, {1, 0}, {2, 0}}, 2);
  expect({{5, 0}, {3, 0}, {1, 0}}, 3);
}

TEST(Places, AnyList) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Place> list;
    Place at{static_cast<int>(random() % 3), 0};
    const auto wild = 1 + random() % 5;
    for (int rank = 0; rank < 60; ++rank) {
      list.push_back(at);
      at.node += random() % wild == 0 ? 1 : 0;
      if (random() % 20 == 0) at = {static_cast<int>(random() % 10), static_cast<int>(random() % 2)};
    }
    Places places;
    for (const Place place : list) places.push_back(place);
    for (std::size_t rank = 0; rank < list.size(); ++rank) ASSERT_EQ(places[rank], list[rank]);
  }
}

}  // namespace
}  // namespace emu::model
