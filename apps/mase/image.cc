#include "image.h"

#include <cmath>
#include <map>
#include <vector>

#include "picture/picture.h"

namespace mase {
namespace {

// Three shifted waves of the logarithm of the count, so that neighbouring counts differ visibly at both ends.
picture::Colour colour(std::int32_t count, std::int32_t iterations) {
  picture::Colour c{};
  if (count == iterations) return c;
  const double t = std::log1p(count) * 1.7;
  for (int channel = 0; channel < 3; ++channel) {
    const double wave = 0.5 - 0.5 * std::cos(t + channel * 0.9);
    c[channel] = static_cast<unsigned char>(std::lround(wave * 255));
  }
  return c;
}

}  // namespace

bool write_image(const std::string& path, std::span<const std::int32_t> counts, std::int32_t size,
                 std::int32_t iterations) {
  std::vector<picture::Colour> pixels;
  pixels.reserve(counts.size());
  for (std::int32_t count : counts) pixels.push_back(colour(count, iterations));
  return picture::write(path, pixels, size, size);
}

bool write_map(const std::string& path, std::span<const std::int32_t> masters, std::int32_t size) {
  std::map<std::int32_t, int> numbers;  // numbers of the masters in the order of their first pixels
  std::vector<picture::Colour> pixels;
  pixels.reserve(masters.size());
  for (std::int32_t master : masters) {
    const int number = numbers.try_emplace(master, static_cast<int>(numbers.size())).first->second;
    pixels.push_back(picture::distinct(number));
  }
  return picture::write(path, pixels, size, size);
}

}  // namespace mase
