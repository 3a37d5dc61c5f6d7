// Rule by which messages share a resource, such as a link of a topology.
#pragma once

#include <cstdint>

namespace emu::model {

enum class Share : std::uint8_t {
  fair,  // max-min fair rates (D. Bertsekas, R. Gallager, "Data Networks", 1992, section 6.5.2)
  fifo,  // one message after another, in the order in which their heads arrive
};

}  // namespace emu::model
