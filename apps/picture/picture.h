// Writes pictures, as PNG or PPM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace picture {

using Colour = std::array<unsigned char, 3>;  // red, green, blue

// A file name that ends in .png or .ppm.
bool is_name(const std::string& path);

// `pixels` holds width * height colours, row by row from the top. The format is that of the name's ending.
// False if the file cannot be written.
bool write(const std::string& path, std::span<const Colour> pixels, std::int32_t width, std::int32_t height);

// Colours for numbers 0, 1, 2, ... that neighbouring ones are told apart by.
Colour distinct(int number);

}  // namespace picture
