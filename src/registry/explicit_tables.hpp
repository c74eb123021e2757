/// The tables of the explicit methods by name, as data: for programs that take any of them with one compiled driver (methods/explicit/runtime_method.hpp).
#pragma once

#include <ensue/methods/explicit/runtime_tableau.hpp>

#include <span>
#include <string_view>

namespace ensue {

struct explicit_table {
  const char* name;
  bool adaptive;
  runtime_tableau (*table)();
};

/// In the order of methods.hpp.
std::span<const explicit_table> explicit_tables();

/// Null where no explicit method has this name.
const explicit_table* find_explicit_table(std::string_view name);

}  // namespace ensue
