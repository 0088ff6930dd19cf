// make_fat_binary [--pack plain|lz4|zstd] [--arch N] OUT PTX...: a fat binary as nvcc makes them, an entry
// for each PTX.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>
#include <zstd.h>

namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void put_length(std::string& out, std::size_t length) {
  if (length < 15) return;
  for (length -= 15; length >= 255; length -= 255) out.push_back(static_cast<char>(255));
  out.push_back(static_cast<char>(length));
}

/// A block of LZ4: of each place, the last earlier one with the same four bytes is tried.
std::string lz4(const std::string& text) {
  constexpr std::size_t tail = 12;  // the format asks for literals at the end
  std::vector<std::size_t> last(1 << 16, SIZE_MAX);
  std::string out;
  std::size_t literals = 0;  // where those begin that wait
  const auto sequence = [&](std::size_t at, std::size_t match, std::size_t distance) {
    const std::size_t count = at - literals, extra = match >= 4 ? match - 4 : 0;
    out.push_back(
        static_cast<char>(std::min<std::size_t>(count, 15) << 4 | std::min<std::size_t>(extra, 15)));
    put_length(out, count);
    out.append(text, literals, count);
    if (match == 0) return;
    put(out, distance, 2);
    put_length(out, extra);
  };
  for (std::size_t i = 0; i + tail < text.size();) {
    std::uint32_t word = 0;
    std::memcpy(&word, &text[i], 4);
    std::size_t& slot = last[word * 2654435761u >> 16];
    const std::size_t before = slot;
    slot = i;
    std::size_t match = 0;
    if (before != SIZE_MAX && i - before < 65536)
      while (i + match + tail / 2 < text.size() && text[before + match] == text[i + match]) ++match;
    if (match < 4) {
      ++i;
      continue;
    }
    sequence(i, match, i - before);
    i += match;
    literals = i;
  }
  sequence(text.size(), 0, 0);
  return out;
}

std::string entry(std::string text, const std::string& pack, unsigned architecture) {
  const std::size_t bytes = text.size() + 1;
  text.push_back('\0');
  std::string data = text;
  std::uint64_t flags = 0x11;  // 64 bits, Linux
  if (pack == "lz4") {
    data = lz4(text);
    flags |= 0x2000;
  } else if (pack == "zstd") {
    data.resize(ZSTD_compressBound(bytes));
    data.resize(ZSTD_compress(data.data(), data.size(), text.data(), bytes, 3));
    flags |= 0x8000;
  }
  const std::size_t packed = data.size();
  data.resize((data.size() + 7) / 8 * 8);
  std::string out;
  put(out, 1, 2);  // PTX
  put(out, 0x101, 2);
  put(out, 64, 4);  // bytes of this header
  put(out, data.size(), 8);
  put(out, pack == "plain" ? 0 : packed, 8);
  put(out, 9ULL << 16, 4);  // version 9.0
  put(out, architecture, 4);
  put(out, 0, 8);
  put(out, flags, 8);
  put(out, 0, 8);
  put(out, pack == "plain" ? 0 : bytes, 8);
  return out + data;
}

}  // namespace

int main(int argc, char** argv) {
  std::string pack = "plain", out, all;
  unsigned architecture = 80;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--pack") {
      pack = argv[++i];
    } else if (word == "--arch") {
      architecture = static_cast<unsigned>(std::stoul(argv[++i]));
    } else if (out.empty()) {
      out = word;
    } else {
      std::ifstream in(word, std::ios::binary);
      if (!in) {
        std::cerr << word << ": cannot be read\n";
        return 1;
      }
      all += entry({std::istreambuf_iterator<char>(in), {}}, pack, architecture);
    }
  }
  std::string header;
  put(header, 0xba55ed50, 4);
  put(header, 1, 2);
  put(header, 16, 2);
  put(header, all.size(), 8);
  std::ofstream(out, std::ios::binary) << header << all;
  return 0;
}
