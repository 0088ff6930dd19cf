// printf of kernels: a format and a buffer of values that the compiler has packed by their alignment.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t longest_text = 1 << 16;

/// What one lane says.
class Printer {
 public:
  Printer(const Warp& w, const Op* op, int lane)
      : w_(w), op_(op), lane_(lane), size_(w.cta->kernel->local_bytes) {
    local_ = w.cta->local.data() + w.index * size_ * 32 + static_cast<unsigned>(lane) * size_;
  }

  std::uint8_t* local(std::uint64_t at, std::uint64_t bytes) const {
    if (at > size_ || bytes > size_ - at) fault(w_, op_, lane_, "past the end of local memory at", at, true);
    return local_ + at;
  }
  void run(std::uint64_t format, std::uint64_t values) {
    values_ = values;
    const std::string text = string_at(format);
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t begin = i++;
      if (text[begin] != '%')
        out_ += text[begin];
      else if (i < text.size() && text[i] == '%')
        out_ += text[i++];
      else
        directive(text, begin, i);
    }
  }
  const std::string& text() const { return out_; }
  std::int32_t count() const { return count_; }

  std::string string_at(std::uint64_t address) const {
    if (address - local_window < window_bytes) address -= local_window;  // below the size: of this lane
    std::string text;
    for (; text.size() < longest_text; ++address) {
      char c = 0;
      if (address < size_) {
        c = static_cast<char>(local_[address]);
      } else {
        const GlobalMemory::Allocation* a = w_.cta->memory->find(address);
        if (a == nullptr) fault(w_, op_, lane_, "no text for printf at", address, true);
        c = static_cast<char>(a->data[address - a->address]);
      }
      if (c == 0) break;
      text += c;
    }
    return text;
  }

 private:
  template <class T>
  T value() {
    used_ = (used_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T got;
    const std::uint64_t at = values_ - local_window + used_;
    std::memcpy(&got, local(at, sizeof(T)), sizeof(T));
    used_ += sizeof(T);
    return got;
  }
  template <class T>
  void put(std::string form, T got) {
    const int n = std::snprintf(nullptr, 0, form.c_str(), got);
    if (n > 0) {
      const std::size_t before = out_.size(),
                        more = std::min<std::size_t>(static_cast<std::size_t>(n), longest_text);
      out_.resize(before + more + 1);
      std::snprintf(&out_[before], more + 1, form.c_str(), got);
      out_.resize(before + more);
    }
    ++count_;
  }
  /// From the `%` at `begin`; `i` goes behind it.
  void directive(const std::string& text, std::size_t begin, std::size_t& i) {
    std::string form = "%";
    for (; i < text.size() && std::strchr("-+ #0123456789.*", text[i]) != nullptr; ++i) {
      if (text[i] != '*')
        form += text[i];
      else
        form += std::to_string(value<std::int32_t>());
    }
    if (form.size() > 64) form = "%";
    bool wide = false;
    std::string narrow;
    for (; i < text.size() && std::strchr("hljztL", text[i]) != nullptr; ++i)
      if (text[i] != 'h')
        wide = true;
      else if (narrow.size() < 2)
        narrow += 'h';
    const char kind = i < text.size() ? text[i++] : '\0';
    if (kind == 'd' || kind == 'i') {
      if (wide)
        put(form + "lld", value<long long>());
      else
        put(form + narrow + "d", value<int>());
    } else if (kind != '\0' && std::strchr("uxXoc", kind) != nullptr) {
      if (wide && kind != 'c')
        put(form + "ll" + kind, value<unsigned long long>());
      else
        put(form + (kind == 'c' ? "" : narrow) + kind, value<unsigned>());
    } else if (kind != '\0' && std::strchr("fFeEgGaA", kind) != nullptr) {
      put(form + kind, value<double>());
    } else if (kind == 'p') {
      put(form + kind, reinterpret_cast<void*>(value<std::uint64_t>()));
    } else if (kind == 's') {
      const std::uint64_t at = value<std::uint64_t>();
      put(form + kind, (at == 0 ? std::string("(null)") : string_at(at)).c_str());
    } else {
      out_.append(text, begin, i - begin);
    }
  }

  const Warp& w_;
  const Op* op_;
  int lane_;
  std::uint64_t size_;
  std::uint8_t* local_;
  std::uint64_t values_ = 0, used_ = 0;
  std::string out_;
  std::int32_t count_ = 0;
};

}  // namespace

const Op* do_print(Warp& w, const Op* op) {
  const auto places = static_cast<std::uint64_t>(op->offset);
  const std::uint64_t format = places & no_place, values = places >> 20 & no_place, result = places >> 40;
  std::string text;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const std::uint64_t frame = op->a == no_row ? 0 : row_of<std::uint64_t>(w, op->a)[lane];
    Printer printer(w, op, lane);
    std::uint64_t addresses[2];
    std::memcpy(&addresses[0], printer.local(frame + format, 8), 8);
    std::memcpy(&addresses[1], printer.local(frame + values, 8), 8);
    if (w.cta->print != nullptr) printer.run(addresses[0], addresses[1]);
    const std::int32_t count = printer.count();
    if (result != no_place) std::memcpy(printer.local(frame + result, 4), &count, 4);
    text += printer.text();
  }
  if (!text.empty()) (*w.cta->print)(text);
  return op + 1;
}

/// Places of the condition's text, the file, the line and the function in local memory, 16 bits each; all
/// ones: not known.
const Op* do_assert(Warp& w, const Op* op) {
  const auto places = static_cast<std::uint64_t>(op->offset);
  if (w.cta->assertion != nullptr && places != ~std::uint64_t{0})
    for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const Dim3 &block = w.cta->block, &index = w.cta->index;
      const std::uint64_t frame = op->a == no_row ? 0 : row_of<std::uint64_t>(w, op->a)[lane];
      const Printer printer(w, op, lane);
      const auto text = [&](unsigned n) {
        std::uint64_t address;
        std::memcpy(&address, printer.local(frame + (places >> 16 * n & 0xffff), 8), 8);
        return address == 0 ? std::string() : printer.string_at(address);
      };
      std::uint32_t line;
      std::memcpy(&line, printer.local(frame + (places >> 32 & 0xffff), 4), 4);
      const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
      };
      const std::uint32_t thread = w.index * 32 + static_cast<std::uint32_t>(lane);
      // As the CUDA C++ Programming Guide shows it ("Assertion").
      (*w.cta->assertion)(text(1) + ":" + std::to_string(line) + ": " + text(3) +
                          ": block: " + triple(index.x, index.y, index.z) + ", thread: " +
                          triple(thread % block.x, thread / block.x % block.y, thread / block.x / block.y) +
                          " Assertion `" + text(0) + "` failed.");
    }
  fault(w, op, __builtin_ctz(w.mask), "an assertion of the kernel failed");
}

}  // namespace strata::traces::ptx
