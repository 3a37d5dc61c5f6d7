// Text within an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace emu::app {

// `text` as the contents of an element, or as an attribute's value in quotes.
std::string html_text(std::string_view text);

// The text of a JSON value as the contents of a script element: an equal value that does not end the element.
std::string html_json(std::string_view json);

}  // namespace emu::app
