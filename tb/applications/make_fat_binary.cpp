// make_fat_binary [--pack plain|lz4|zstd] [--arch N] OUT PTX...: a fat binary as nvcc makes them, an entry
// for each PTX.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <lz4.h>
#include <string>
#include <vector>
#include <zstd.h>

namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::string entry(std::string text, const std::string& pack, unsigned architecture) {
  const std::size_t bytes = text.size() + 1;
  text.push_back('\0');
  std::string data = text;
  std::uint64_t flags = 0x11;  // 64 bits, Linux
  if (pack == "lz4") {
    data.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(bytes))));
    data.resize(static_cast<std::size_t>(LZ4_compress_default(
        text.data(), data.data(), static_cast<int>(bytes), static_cast<int>(data.size()))));
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
