// Expected failures as values: what went wrong, where, and the correct form, in one sentence each.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace emu {

struct Failure {
  std::string message;  // complete, ready to print; names file, line and key, if any
};

template <class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(std::string message) {
  return tl::unexpected<Failure>(Failure{std::move(message)});
}

}  // namespace emu
