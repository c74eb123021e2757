/// What a method with a stepper of its own says of itself, where no table does: src/registry/method_entry.hpp takes it into the registry.
#pragma once

namespace ensue {

/// Of a method that iterates, differentiates and has a law of its own for the next step.
struct own_properties {
  int order;           ///< of fixed steps
  int embedded_order;  ///< of the solution that its estimate compares with, in fixed steps
  int stages;
  int start_evaluations;  ///< when it starts, and after a restart
  int evaluations;        ///< a step, at least
  bool a_stable;          ///< in fixed steps
  bool l_stable;          ///< likewise
};

template <class Method>
concept describes_itself = requires { Method::properties.start_evaluations; };

}  // namespace ensue
