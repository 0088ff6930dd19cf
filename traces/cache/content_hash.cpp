#include "traces/cache/content_hash.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "models/common/input_file.h"

namespace strata::traces {
namespace {

constexpr std::size_t file_buffer_bytes = 1 << 16;

std::uint64_t rotated(std::uint64_t value, unsigned bits) {
  return value << bits | value >> (64 - bits);
}

}  // namespace

// Every step is invertible, so that no difference is lost. The odd factors are arbitrary.
void ContentHash::mix(State& state, const char* bytes) {
  std::uint64_t words[2];
  std::memcpy(words, bytes, step);
  std::uint64_t a = state[0], b = state[1];
  a = rotated(a ^ words[0] * 0xd6e8feb86659fd93, 29) * 0xa0761d6478bd642f;
  b = rotated(b + words[1] * 0xe7037ed1a0b428db, 37) * 0x8ebc6af09c88c6e3;
  state = {a + rotated(b, 17), b};
}

void ContentHash::add(std::string_view bytes) {
  const std::size_t kept = length_ % step;
  length_ += bytes.size();
  if (kept != 0) {
    const std::size_t taken = std::min(step - kept, bytes.size());
    std::memcpy(rest_.data() + kept, bytes.data(), taken);
    bytes.remove_prefix(taken);
    if (kept + taken < step) return;
    mix(state_, rest_.data());
  }
  State state = state_;
  for (; bytes.size() >= step; bytes.remove_prefix(step)) mix(state, bytes.data());
  state_ = state;
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
}

void ContentHash::add_part(std::string_view text) {
  add(std::to_string(text.size()) + ":");
  add(text);
}

void ContentHash::add_file(const std::string& path) {
  InputFile file(path);
  std::vector<char> buffer(file_buffer_bytes);
  const std::uint64_t before = length_;
  while (const std::size_t got = file.read(buffer.data(), buffer.size())) add({buffer.data(), got});
  add(":" + std::to_string(length_ - before));
}

ContentHash::State ContentHash::finished() const {
  State state = state_;
  std::array<char, step> last{};
  std::copy_n(rest_.begin(), length_ % step, last.begin());
  mix(state, last.data());
  std::memcpy(last.data(), &length_, sizeof length_);
  for (int round = 0; round < 4; ++round) {
    mix(state, last.data());
    state = {state[1], state[0] ^ state[0] >> 31};
  }
  return state;
}

std::string ContentHash::digits() const {
  const State state = finished();
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(state[0]),
                static_cast<unsigned long long>(state[1]));
  return text;
}

}  // namespace strata::traces
