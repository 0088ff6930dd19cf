#include "tb/support/accelsim_trace_checker.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace strata::tb {
namespace {

using Words = std::vector<std::string>;

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Opcodes that an exported trace may hold, and that Accel-Sim's tables of Volta and Ampere have.
const std::set<std::string> volta = {"BAR",  "BRA",   "DEPBAR", "DFMA", "EXIT", "FFMA",
                                     "HMMA", "IADD3", "LDG",    "LDL",  "LDS",  "MUFU",
                                     "NOP",  "RED",   "STG",    "STL",  "STS",  "ATOMG"};
const std::set<std::string> ampere_alone = {"LDGSTS", "LDGDEPBAR"};
const std::set<std::string> hopper_alone = {"ARRIVES", "SYNCS", "UBLKCP", "UCGABAR_ARV", "UCGABAR_WAIT"};
const std::set<std::string> memory = {"ATOMG", "ARRIVES", "LDG", "LDGSTS", "LDL",   "LDS",
                                      "RED",   "STG",     "STL", "STS",    "SYNCS", "UBLKCP"};

bool starts_with(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

bool all_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

Words split(const std::string& text, char at) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

std::uint64_t whole(const std::string& text, const char* what, std::uint64_t most = ~std::uint64_t{0}) {
  if (!all_digits(text) || text.size() > 20) throw Fault(std::string(what) + ": '" + text + "' is no number");
  const std::uint64_t value = std::stoull(text);
  if (value > most) throw Fault(std::string(what) + ": " + text + " is more than " + std::to_string(most));
  return value;
}

std::int64_t with_sign(const std::string& text, const char* what) {
  const bool negative = !text.empty() && text[0] == '-';
  const auto value = static_cast<std::int64_t>(whole(negative ? text.substr(1) : text, what));
  return negative ? -value : value;
}

std::uint64_t hexadecimal(const std::string& text, const char* what, bool prefixed) {
  const std::string digits = prefixed ? text.substr(std::min<std::size_t>(2, text.size())) : text;
  const bool good = (!prefixed || starts_with(text, "0x")) && !digits.empty() && digits.size() <= 16 &&
                    digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!good) throw Fault(std::string(what) + ": '" + text + "' is no hexadecimal number");
  return std::stoull(digits, nullptr, 16);
}

/// As inst_trace_t::get_datawidth_from_opcode() counts it.
unsigned width_of(const Words& tokens) {
  for (const std::string& token : tokens) {
    if (all_digits(token)) return static_cast<unsigned>(std::stoul(token)) / 8;
    if (token[0] == 'U' && all_digits(token.substr(1)))
      return static_cast<unsigned>(std::stoul(token.substr(1))) / 8;
  }
  return 4;
}

class Kernel {
 public:
  Kernel(const std::string& text, AccelsimTraceReport& report) : report_(report) {
    if (text.empty() || text.back() != '\n') throw Fault("the last line does not end");
    lines_ = split(text, '\n');
  }
  std::size_t line() const { return at_; }

  void check() {
    header();
    const std::uint64_t blocks = grid_[0] * grid_[1] * grid_[2];
    for (std::uint64_t b = 0; b < blocks; ++b) block(b);
    if (at_ < lines_.size() && !skip_blank().empty())
      throw Fault("more follows behind the last thread block");
    ++report_.kernels;
  }

 private:
  const std::string& next() {
    if (at_ >= lines_.size()) throw Fault("the file ends early");
    return lines_[at_++];
  }
  /// The next line that is not empty, which Accel-Sim passes over; nothing at the end.
  std::string skip_blank() {
    while (at_ < lines_.size())
      if (const std::string& line = next(); !line.empty()) return line;
    return {};
  }
  std::string value_of(const char* key) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) throw Fault(std::string("no -") + key + " in the header");
    return found->second;
  }
  std::array<std::uint64_t, 3> triple(const char* key) {
    const std::string text = value_of(key);
    const Words parts = split(text.substr(1, text.size() - 2), ',');
    if (text.front() != '(' || text.back() != ')' || parts.size() != 3)
      throw Fault(std::string(key) + ": '" + text + "' is not (x,y,z)");
    std::array<std::uint64_t, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] = whole(parts[i], key, 2147483647);
      if (out[i] == 0) throw Fault(std::string(key) + " has a 0");
    }
    return out;
  }

  void header() {
    for (;;) {
      const std::string line = next();
      if (line.empty()) continue;
      if (line[0] == '#') break;  // that line is passed over, whatever it says
      const std::size_t equals = line.find(" = ");
      if (line[0] != '-' || equals == std::string::npos) throw Fault("no '-key = value': " + line);
      keys_[line.substr(1, equals - 1)] = line.substr(equals + 3);
    }
    if (value_of("kernel name").empty()) throw Fault("the kernel has no name");
    whole(value_of("kernel id"), "kernel id", 0xffffffff);
    grid_ = triple("grid dim");
    const auto block = triple("block dim");
    threads_ = block[0] * block[1] * block[2];
    if (threads_ > 1024) throw Fault("a block has more than 1024 threads");
    shared_ = whole(value_of("shmem"), "shmem", 0xffffffff);
    whole(value_of("nregs"), "nregs", 256);
    const std::string version = value_of("binary version");
    if (version != "70" && version != "80" && version != "90") throw Fault("binary version " + version);
    hopper_ = version == "90";
    ampere_ = version == "80" || hopper_;
    whole(value_of("cuda stream id"), "cuda stream id");
    const std::uint64_t shared_base = hexadecimal(value_of("shmem base_addr"), "shmem base_addr", true);
    const std::uint64_t local_base =
        hexadecimal(value_of("local mem base_addr"), "local mem base_addr", true);
    // Zero would make every generic access one of shared memory.
    if (shared_base == 0 || local_base <= shared_base) throw Fault("the windows do not follow each other");
    if (value_of("nvbit version").empty()) throw Fault("no nvbit version");
    const std::uint64_t tracer = whole(value_of("accelsim tracer version"), "accelsim tracer version");
    if (tracer != 5 && tracer != 6) throw Fault("accelsim tracer version " + std::to_string(tracer));
    most_immediates_ = tracer == 6 ? 2 : 1;
    if (value_of("enable lineinfo") != "0") throw Fault("lines begin with line numbers");
  }

  void block(std::uint64_t number) {
    if (skip_blank() != "#BEGIN_TB") throw Fault("no #BEGIN_TB");
    const std::string place = "thread block = " + std::to_string(number % grid_[0]) + "," +
                              std::to_string(number / grid_[0] % grid_[1]) + "," +
                              std::to_string(number / grid_[0] / grid_[1]);
    if (skip_blank() != place) throw Fault("expected '" + place + "'");
    const std::uint64_t warps = (threads_ + 31) / 32;
    std::set<std::uint64_t> seen;  // each once: Accel-Sim asks for the first instruction of all of them
    for (std::uint64_t w = 0; w < warps; ++w) {
      const std::string line = skip_blank();
      if (!starts_with(line, "warp = ")) throw Fault("no 'warp = '");
      const std::uint64_t warp = whole(line.substr(7), "warp", warps - 1);
      if (!seen.insert(warp).second) throw Fault("warp " + std::to_string(warp) + " again");
      const std::uint64_t left = threads_ - warp * 32;
      lanes_ = left >= 32 ? 0xffffffff : (std::uint64_t{1} << left) - 1;
      instructions();
    }
    if (skip_blank() != "#END_TB") throw Fault("no #END_TB behind so many instructions and warps");
    ++report_.blocks;
  }

  void instructions() {
    const std::string line = skip_blank();
    if (!starts_with(line, "insts = ")) throw Fault("no 'insts = '");
    const std::uint64_t count = whole(line.substr(8), "insts");
    if (count == 0) throw Fault("a warp without instructions");
    std::uint64_t left = lanes_;
    groups_ = 0;
    copies_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (left == 0) throw Fault("an instruction behind the EXIT of all threads");
      const std::string text = skip_blank();
      instruction(split(text, ' '));
      if (opcode_ == "EXIT") left &= ~mask_;
      ++report_.instructions;
    }
    if (left != 0 || opcode_ != "EXIT") throw Fault("not all threads have met EXIT");
  }

  /// Returns how many there are.
  std::uint64_t registers(const Words& words, std::size_t& at, const char* what, std::uint64_t most) {
    const std::uint64_t count = whole(field(words, at), what, most);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string& name = field(words, at);
      const std::size_t uniform = most_immediates_ == 2 && name[0] == 'U' ? 1 : 0;
      if (name.size() < 2 + uniform || name[uniform] != 'R') throw Fault("'" + name + "' is no register");
      whole(name.substr(1 + uniform), what, 255);
    }
    return count;
  }
  static const std::string& field(const Words& words, std::size_t& at) {
    if (at >= words.size() || words[at].empty())
      throw Fault("a field is missing, or two blanks follow each other");
    return words[at++];
  }

  void instruction(const Words& words) {
    std::size_t at = 0;
    if (hexadecimal(field(words, at), "PC", false) > 0xffffffff) throw Fault("a PC of more than 32 bits");
    pc_ = words[0];
    const std::string& mask = field(words, at);
    mask_ = hexadecimal(mask, "mask", false);
    if (mask.size() != 8 || (mask_ & ~lanes_) != 0) throw Fault("the mask has lanes that the warp has not");
    const std::uint64_t destinations = registers(words, at, "destinations", 1);  // MAX_DST
    std::uint64_t values = destinations;
    const Words tokens = split(field(words, at), '.');
    opcode_ = tokens[0];
    if (volta.count(opcode_) == 0 && (!ampere_ || ampere_alone.count(opcode_) == 0) &&
        (!hopper_ || hopper_alone.count(opcode_) == 0))
      throw Fault("no opcode of the binary version: " + opcode_);
    // ldst_unit::writeback() ends such a load when it writes its registers: it would not be counted.
    if (opcode_ == "LDS" && destinations == 0) throw Fault("LDS without a destination");
    values += registers(words, at, "sources", 4);  // MAX_SRC
    const std::uint64_t width = whole(field(words, at), "width", 16);
    if (memory.count(opcode_) != (width != 0 ? 1U : 0U)) throw Fault("the width of " + opcode_);
    if (opcode_ == "UBLKCP")
      places(words, at);
    else if (width != 0)
      addresses(words, at, tokens, width);
    std::size_t immediates = 0;
    for (; at < words.size() && words[at] != "Val" && words[at] != "NoVal"; ++immediates) {
      const std::int64_t value = with_sign(field(words, at), "immediate");
      if (immediates == 0 && opcode_ == "DEPBAR") wait_for_copies(static_cast<std::uint64_t>(value));
    }
    if (opcode_ == "LDGDEPBAR") ++groups_;
    if (at < words.size() && most_immediates_ == 1) throw Fault("values before version 6");
    if (opcode_ == "SYNCS" && (at == words.size() || words[at] != "Val" || values < 2))
      throw Fault("a barrier without values of its registers");  // where Accel-Sim stops
    if (at < words.size() && field(words, at) == "Val")
      for (; values != 0; --values) {
        if (whole(field(words, at), "values") != 1) throw Fault("values of lanes");
        hexadecimal(field(words, at), "value", true);
      }
    if (at != words.size()) throw Fault("more follows behind the values");
    if (immediates > most_immediates_) throw Fault("more immediates than the version of the tracer has");
  }

  /// trace_parser.cc, tma_opcodes: barrier, no multicast, bytes, of these outside, base and differences.
  void places(const Words& words, std::size_t& at) {
    hexadecimal(field(words, at), "barrier", true);
    whole(field(words, at), "multicast", 0);
    const std::uint64_t bytes = whole(field(words, at), "bytes");
    whole(field(words, at), "bytes outside", bytes);
    if (whole(field(words, at), "mode") != 4) throw Fault("the mode of a bulk copy");
    std::uint64_t address = hexadecimal(field(words, at), "address", true);
    for (std::uint64_t count = whole(field(words, at), "places"); count > 1; --count)
      address += static_cast<std::uint64_t>(with_sign(field(words, at), "difference"));
    if ((address >> 48) != 0) throw Fault("an address of more than 48 bits");
  }

  void addresses(const Words& words, std::size_t& at, const Words& tokens, std::uint64_t width) {
    const bool barrier = opcode_ == "SYNCS" || opcode_ == "ARRIVES";
    const unsigned bytes = barrier ? 8 : width_of(tokens);
    if (bytes != width || (bytes & (bytes - 1)) != 0 || bytes == 0) throw Fault("the width of the opcode");
    const auto lanes = static_cast<std::uint64_t>(__builtin_popcountll(mask_));
    const std::uint64_t mode = whole(field(words, at), "address mode", 2);
    std::vector<std::uint64_t> address = {hexadecimal(field(words, at), "address", true)};
    if (mode == 1) {
      const std::int64_t stride = with_sign(field(words, at), "stride");
      if (stride != static_cast<std::int32_t>(stride)) throw Fault("a stride of more than 32 bits");
      // Behind the first gap, base_stride_decompress() gives no more addresses.
      const std::uint64_t row = mask_ == 0 ? 0 : mask_ >> __builtin_ctzll(mask_);
      if ((row & (row + 1)) != 0) throw Fault("a stride, and the active lanes have a gap");
      for (std::uint64_t i = 1; i < lanes; ++i)
        address.push_back(address.back() + static_cast<std::uint64_t>(stride));
    } else if (lanes == 0) {
      throw Fault("a list of addresses of no lane");
    }
    for (std::uint64_t i = 1; mode != 1 && i < lanes; ++i)
      address.push_back(
          mode == 0 ? hexadecimal(field(words, at), "address", true)
                    : address.back() + static_cast<std::uint64_t>(with_sign(field(words, at), "difference")));
    for (const std::uint64_t one : address) of_memory(one, bytes);
    if (opcode_ == "LDGSTS" && mask_ != 0) begin_copy((mask_ & 1) != 0 ? address[0] : 0);
  }

  /// shader_core_ctx::unset_depbar() knows copies by these two, and ends only one of two that are equal.
  void begin_copy(std::uint64_t address_of_lane_0) {
    for (const Copy& copy : copies_)
      if (copy.pc == pc_ && copy.address == address_of_lane_0)
        throw Fault("two copies in flight with the same PC and address of lane 0");
    copies_.push_back({pc_, address_of_lane_0, groups_});
  }
  /// shader_core_ctx::issue_warp() subtracts without looking.
  void wait_for_copies(std::uint64_t left) {
    if (left > groups_) throw Fault("a wait that leaves more groups than there are");
    const std::uint64_t ended = groups_ - left;
    copies_.erase(
        std::remove_if(copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.group < ended; }),
        copies_.end());
  }

  void of_memory(std::uint64_t address, unsigned bytes) const {
    // shader_core_ctx::translate_local_memaddr() asserts these two.
    if (opcode_ == "LDL" || opcode_ == "STL") {
      if (address % std::min(bytes, 4U) != 0) throw Fault("local memory in the middle of a word");
      if (address >= std::uint64_t{1} << 24) throw Fault("more local memory than a thread has");
    }
    const bool shared = opcode_ == "LDS" || opcode_ == "STS" || opcode_ == "SYNCS" || opcode_ == "ARRIVES";
    if (shared && mask_ != 0 && address + bytes > std::max<std::uint64_t>(shared_, 4))
      throw Fault("shared memory behind what the block has");
    if (!shared && opcode_ != "LDL" && opcode_ != "STL" && (address >> 48) != 0)
      throw Fault("an address of more than 48 bits");
  }

  AccelsimTraceReport& report_;
  Words lines_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> keys_;
  std::array<std::uint64_t, 3> grid_{};
  std::uint64_t threads_ = 0, shared_ = 0, lanes_ = 0, mask_ = 0;
  std::size_t most_immediates_ = 1;
  bool ampere_ = false, hopper_ = false;
  std::string opcode_, pc_;
  struct Copy {
    std::string pc;
    std::uint64_t address, group;
  };
  std::vector<Copy> copies_;  // that no wait has ended
  std::uint64_t groups_ = 0;
};

void check_kernel(const std::string& name, const std::string& text, AccelsimTraceReport& report) {
  std::size_t line = 0;
  try {
    Kernel kernel(text, report);
    try {
      kernel.check();
    } catch (const Fault&) {
      line = kernel.line();
      throw;
    }
  } catch (const Fault& fault) {
    report.fault = name + ":" + std::to_string(line) + ": " + fault.what();
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

AccelsimTraceReport check_accelsim_kernel(const std::string& name, const std::string& text) {
  AccelsimTraceReport report;
  check_kernel(name, text, report);
  return report;
}

AccelsimTraceReport check_accelsim_trace(const std::string& list) {
  AccelsimTraceReport report;
  std::istringstream lines(read(list));
  for (std::string line; report.fault.empty() && std::getline(lines, line);) {
    try {
      if (starts_with(line, "MemcpyHtoD")) {
        const Words parts = split(line, ',');
        if (parts.size() != 3 || parts[0] != "MemcpyHtoD") throw Fault("a copy has three fields");
        hexadecimal(parts[1], "address", true);
        whole(parts[2], "bytes");
        ++report.copies;
      } else if (starts_with(line, "kernel") && line.find('/') == std::string::npos &&
                 std::filesystem::path(line).extension() == ".traceg") {
        check_kernel(line, read(std::filesystem::path(list).parent_path() / line), report);
      } else if (!starts_with(line, "cuda")) {  // calls, which it passes over, and may
        throw Fault("Accel-Sim would pass over '" + line + "'");
      }
    } catch (const Fault& fault) {
      report.fault = list + ": " + fault.what();
    }
  }
  if (report.fault.empty() && report.kernels == 0) report.fault = list + ": no kernels";
  return report;
}

}  // namespace strata::tb
