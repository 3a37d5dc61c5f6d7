// Writer of images as PNG or PPM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace picture {

using Colour = std::array<unsigned char, 3>;  // red, green, blue

// True if the file name ends in .png or .ppm.
bool is_name(const std::string& path);

// Writes width * height colours, row by row from the top. The ending of the name decides the format. False if the
// file cannot be written.
bool write(const std::string& path, std::span<const Colour> pixels, std::int32_t width, std::int32_t height);

// Colours for numbers 0, 1, 2, ...; those of neighbouring numbers are easy to distinguish.
Colour distinct(int number);

}  // namespace picture
