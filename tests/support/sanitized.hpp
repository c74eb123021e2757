/// Whether this program runs under AddressSanitizer, where long tests are cut short.
#pragma once

namespace ensue::tests {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ensue::tests
