#include "picture.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace picture {
namespace {

bool write_png(const std::string& path, std::span<const Colour> pixels, std::int32_t width,
               std::int32_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0;
}

bool write_ppm(const std::string& path, std::span<const Colour> pixels, std::int32_t width,
               std::int32_t height) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << width << ' ' << height << "\n255\n";
  file.write(reinterpret_cast<const char*>(pixels.data()), static_cast<std::streamsize>(pixels.size_bytes()));
  return static_cast<bool>(file.flush());
}

}  // namespace

bool is_name(const std::string& path) {
  return path.size() > 4 && (path.ends_with(".png") || path.ends_with(".ppm"));
}

bool write(const std::string& path, std::span<const Colour> pixels, std::int32_t width, std::int32_t height) {
  return path.ends_with(".png") ? write_png(path, pixels, width, height)
                                : write_ppm(path, pixels, width, height);
}

// Steps of the golden ratio around the colour wheel, in two brightnesses.
Colour distinct(int number) {
  const double hue = std::fmod(0.08 + number * 0.6180339887, 1.0) * 6;
  const double bright = number % 2 == 0 ? 0.95 : 0.7;
  Colour colour{};
  for (int channel = 0; channel < 3; ++channel) {
    const double at = std::fmod(hue + 6 - 2 * channel, 6.0);
    const double level = std::min(1.0, std::max(0.0, std::abs(at - 3) - 1));
    colour[channel] = static_cast<unsigned char>(std::lround((0.15 + 0.85 * level) * bright * 255));
  }
  return colour;
}

}  // namespace picture
