// Which of the functions that a file imports its own code can come to, as far as its symbols tell.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace emu::app {

// The imports of the ELF file `path` that stand in functions which nothing calls: neither what is run when it starts, nor a
// function that others name (`called`: what other loaded files import), nor any whose address is taken in data, nor what those
// refer to. No instruction is decoded: whatever bytes of code could be a reference count as one, so what is said to be
// unreached is (but for names that are looked up at run time), and more may be. Empty where nothing can be told: of a file
// without symbols of functions, of another machine than x86-64, of a damaged one.
std::set<std::string> unreached_imports(const std::string& path, const std::set<std::string>& called);

}  // namespace emu::app
