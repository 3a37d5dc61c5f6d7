#include "image.h"

#include <png.h>

#include <cmath>
#include <fstream>
#include <vector>

namespace mase {
namespace {

// Three shifted waves over the logarithm of the count: neighbouring counts differ visibly at both ends.
void append_colour(std::vector<unsigned char>& rgb, std::int32_t count, std::int32_t iterations) {
  const double t = std::log1p(count) * 1.7;
  for (int channel = 0; channel < 3; ++channel) {
    const double wave = 0.5 - 0.5 * std::cos(t + channel * 0.9);
    rgb.push_back(count == iterations ? 0 : static_cast<unsigned char>(std::lround(wave * 255)));
  }
}

bool write_png(const std::string& path, const std::vector<unsigned char>& rgb, std::int32_t size) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = static_cast<png_uint_32>(size);
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) != 0;
}

bool write_ppm(const std::string& path, const std::vector<unsigned char>& rgb, std::int32_t size) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << size << ' ' << size << "\n255\n";
  file.write(reinterpret_cast<const char*>(rgb.data()), static_cast<std::streamsize>(rgb.size()));
  return static_cast<bool>(file.flush());
}

}  // namespace

bool is_image_name(const std::string& path) {
  return path.size() > 4 && (path.ends_with(".png") || path.ends_with(".ppm"));
}

bool write_image(const std::string& path, std::span<const std::int32_t> counts, std::int32_t size,
                 std::int32_t iterations) {
  std::vector<unsigned char> rgb;
  rgb.reserve(counts.size() * 3);
  for (std::int32_t count : counts) append_colour(rgb, count, iterations);
  return path.ends_with(".png") ? write_png(path, rgb, size) : write_ppm(path, rgb, size);
}

}  // namespace mase
