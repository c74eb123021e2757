/// gpu_loops CUBIN: a line a kernel, its name and the instructions of its inner loop, read off the machine code for Hopper (sm_90) that nvcc has made. No GPU is needed,
/// nor a disassembler, which not every CUDA has.
///
/// An instruction is 16 bytes long, the first twelve bits say which. The inner loop is the first one long enough to be a step: from the target of a branch backwards
/// to that branch. (Read off code whose disassembly is known: 173 instructions in tests/device/batch.cu's kernel by hand.)
#include <cxxabi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using bytes = std::vector<char>;

template <class Word> Word word_at(const bytes& file, std::size_t place) {
  Word word{};
  if (place > file.size() || file.size() - place < sizeof word) throw std::string("it ends too early");
  std::memcpy(&word, file.data() + place, sizeof word);
  return word;
}

struct section {
  std::string name;
  std::size_t place, size;
};

/// Of an ELF file of 64 bits.
std::vector<section> sections_of(const bytes& file) {
  if (file.size() < 64 || std::memcmp(file.data(), "\177ELF\2", 5) != 0) throw std::string("it is no ELF file of 64 bits");
  const auto table = word_at<std::uint64_t>(file, 0x28);
  const auto length = word_at<std::uint16_t>(file, 0x3a), count = word_at<std::uint16_t>(file, 0x3c), naming = word_at<std::uint16_t>(file, 0x3e);
  const auto place_of = [&](std::size_t i) { return word_at<std::uint64_t>(file, table + i * length + 0x18); };
  const auto names = place_of(naming);
  std::vector<section> found;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    for (auto at = names + word_at<std::uint32_t>(file, table + i * length); const char letter = word_at<char>(file, at); ++at) name += letter;
    found.push_back({name, place_of(i), word_at<std::uint64_t>(file, table + i * length + 0x20)});
  }
  return found;
}

constexpr std::size_t instruction = 16;

/// By how many instructions this one leads back, itself included; none or fewer, where it does not.
std::int64_t way_back(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t branch = 0x947;
  if ((low & 0xfff) != branch) return 0;
  // The distance from the next instruction, in words of four bytes: its lowest eight bits, and 48 more with the sign.
  const auto upper = static_cast<std::int64_t>((low >> 34 | high << 30) << 16) >> 16;
  const std::int64_t words = upper * 256 + static_cast<std::int64_t>(low >> 16 & 0xff);
  return -words * 4 / static_cast<std::int64_t>(instruction);
}

/// Instructions of the first loop that is as long as a step; 0: there is none.
std::int64_t inner_loop(const bytes& file, const section& code) {
  constexpr std::int64_t a_step = 100;
  for (std::size_t at = code.place; at < code.place + code.size; at += instruction)
    if (const std::int64_t length = way_back(word_at<std::uint64_t>(file, at), word_at<std::uint64_t>(file, at + 8)); length >= a_step) return length;
  return 0;
}

/// advance_each<float 3 1 dp54 lorenz<float>>
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> whole(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? whole.get() : symbol;
  name = name.substr(0, name.find(">(") + 1);
  for (const std::string without : {"void ", "ensue::", "models::", "ul", ","})
    for (std::size_t at; (at = name.find(without)) != std::string::npos;) name.erase(at, without.size());
  for (std::size_t at; (at = name.find(" >")) != std::string::npos;) name.erase(at, 1);
  return name;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return std::fputs("usage: gpu_loops CUBIN\n", stderr), 2;
  std::ifstream from(arguments[1], std::ios::binary);
  const bytes file{std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
  for (const section& each : sections_of(file))
    if (each.name.starts_with(".text.")) std::printf("%s,%lld\n", readable(each.name.substr(6)).c_str(), static_cast<long long>(inner_loop(file, each)));
} catch (const std::string& why) {
  return std::fprintf(stderr, "gpu_loops: %s: %s\n", arguments[1], why.c_str()), 1;
}
