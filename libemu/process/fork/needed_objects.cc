#include "process/fork/needed_objects.h"

#include <dlfcn.h>

#include <cstring>
#include <string>

namespace emu::mpi {

namespace {

struct Object {
  const link_map* map = nullptr;
  std::vector<std::string> names;   // of its file, and DT_SONAME
  std::vector<std::string> needed;  // DT_NEEDED
  bool reached = false;
};

const char* base_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

Object read(const link_map* map) {
  Object object{map, {base_name(map->l_name)}, {}, false};
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB &&
        entry->d_un.d_ptr >= map->l_addr)  // relocated, unlike the kernel's object
      strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = map->l_ld; strings && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) object.names.emplace_back(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_NEEDED) object.needed.emplace_back(strings + entry->d_un.d_val);
  }
  return object;
}

// The program is the first object.
std::vector<Object> read_all() {
  std::vector<Object> all;
  void* const program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  for (const auto* map = static_cast<const link_map*>(program); map; map = map->l_next)
    all.push_back(read(map));
  if (program) dlclose(program);
  return all;
}

// Marks the objects that `from` needs, directly or indirectly.
void reach(std::vector<Object>& all, Object& from) {
  if (from.reached) return;
  from.reached = true;
  for (const std::string& needed : from.needed)
    for (Object& object : all)
      for (const std::string& name : object.names)
        if (name == needed) reach(all, object);
}

bool of_kernel(const Object& object) { return object.names.front().starts_with("linux-vdso"); }

}  // namespace

LoadedObjects find_loaded_objects() {
  Dl_info info{};
  void* own = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&find_loaded_objects), &info, &own, RTLD_DL_LINKMAP) == 0) return {};
  std::vector<Object> all = read_all();
  if (all.empty() || all.front().map == own) return {};
  for (Object& object : all)
    if (object.map == own) reach(all, object);
  LoadedObjects found;
  for (const Object& object : all) {
    if (object.reached)
      found.needed.push_back(object.map);
    else if (&object != &all.front() && !of_kernel(object))
      found.others = true;
  }
  return found;
}

}  // namespace emu::mpi
