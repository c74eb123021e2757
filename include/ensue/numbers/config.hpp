/// How the headers meet the compiler: one macro for code that also runs on a GPU, one for code that must be inlined.
///
///     struct decay { ENSUE_HD void operator()(double, const ensue::vec<double, 1>& x, ensue::vec<double, 1>& dx) const; };
#pragma once

/// On every function that a kernel may call. Such functions use no exceptions, no allocation and no std::array.
#if defined(__CUDACC__)
#define ENSUE_HD __host__ __device__
#else
#define ENSUE_HD
#endif

/// A step is a few dozen operations: a call in the middle of it costs more than it does. A lambda takes the attribute after
/// its parameters; inlined early, it leaves the numbers it works on in registers. Without optimisation nothing is inlined, so
/// that it can be stepped through, nor is it forced under a sanitizer, whose reports name functions; and it compiles in a fraction of the time.
#if defined(__CUDACC__) || ((defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__))
#define ENSUE_INLINE inline __attribute__((always_inline))
#define ENSUE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define ENSUE_INLINE inline
#define ENSUE_INLINE_LAMBDA
#endif
#if defined(__GNUC__) || defined(__clang__)
#define ENSUE_COLD __attribute__((noinline, cold))
#define ENSUE_RESTRICT __restrict__
#else
#define ENSUE_COLD
#define ENSUE_RESTRICT
#endif

/// On what a host always does and a GPU rarely: called there, so that the usual way has its registers for itself.
#if defined(__CUDA_ARCH__)
#define ENSUE_RARE_ON_DEVICE __attribute__((noinline))
#else
#define ENSUE_RARE_ON_DEVICE
#endif

/// On the loop of a single trajectory: pairing the components of a small state into vectors, as GCC's basic-block vectoriser
/// does, costs more in shuffles than it saves (35.6 against 49.6 ns a step for dp54 on Lorenz). Loops over long states are
/// vectorised all the same.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define ENSUE_SINGLE_TRAJECTORY __attribute__((optimize("no-tree-slp-vectorize", "no-code-hoisting")))
#else
#define ENSUE_SINGLE_TRAJECTORY
#endif

/// On the loop of many trajectories: that, and what two branches have in common stays in both. GCC would multiply before the branch and add in
/// it, where one instruction does both.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define ENSUE_MANY_TRAJECTORIES __attribute__((optimize("no-tree-slp-vectorize", "no-code-hoisting")))
#else
#define ENSUE_MANY_TRAJECTORIES
#endif

namespace ensue {
/// Whether this is the code of a GPU, or of a program that goes a GPU's ways on a host in order to test them (ENSUE_AS_ON_A_GPU). It has few registers a thread and needs no help to keep its
/// units busy: what saves registers wins there.
#if defined(__CUDA_ARCH__) || defined(ENSUE_AS_ON_A_GPU)
inline constexpr bool on_device = true;
#else
inline constexpr bool on_device = false;
#endif

/// Inside an `if`: a branch that stays one. Turned into a conditional move, everything after it waits for the condition; as a
/// branch the processor goes on along the usual way (69 against 36 ns a step where the step size is chosen).
ENSUE_HD ENSUE_INLINE void stay_a_branch() {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDA_ARCH__)
  asm volatile("");
#endif
}
}  // namespace ensue

/// "The iterations of the next loop are independent": stages and states are separate memory, which no compiler can prove
/// of a dozen pointers.
#if defined(__CUDACC__)
#define ENSUE_INDEPENDENT
#elif defined(__clang__)
#define ENSUE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ENSUE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ENSUE_INDEPENDENT
#endif
