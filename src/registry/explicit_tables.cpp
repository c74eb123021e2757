#include "registry/explicit_tables.hpp"

#include <ensue/methods.hpp>

namespace ensue {
namespace {

template <class Method> constexpr explicit_table listed() {
  return {Method::name, Method::table.embedded_rows > 0, [] { return runtime_tableau::from(Method::table); }};
}

constexpr explicit_table tables[] = {
#define ENSUE_METHOD(...) listed<__VA_ARGS__>(),
#include <ensue_explicit.inc>
#undef ENSUE_METHOD
};

}  // namespace

std::span<const explicit_table> explicit_tables() { return tables; }

const explicit_table* find_explicit_table(std::string_view name) {
  for (const explicit_table& each : tables)
    if (name == each.name) return &each;
  return nullptr;
}

}  // namespace ensue
