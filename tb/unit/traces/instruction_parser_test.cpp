#include "traces/accelsim/instruction_parser.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tb/support/catch.h"
#include "traces/accelsim/opcode_table.h"

using namespace strata;
using namespace strata::traces;

using strata::tb::has_text;

namespace {

KernelHeader header(bool position, bool source_line) {
  KernelHeader h;
  h.opcodes = OpcodeTable::find(70);
  h.position_prefix = position;
  h.line_info = source_line;
  h.shared_base = 0x7f2000000000;
  h.local_base = 0x7f2001000000;
  return h;
}

std::string text_of(const WarpInstruction& i, const CtaTrace& cta) {
  std::string text = std::to_string(i.pc) + " mask " + std::to_string(i.active_mask) + " op " +
                     std::to_string(static_cast<int>(i.op)) + " width " + std::to_string(i.width) +
                     (i.non_coherent ? " nc" : "") + (i.bypass_l1 ? " bypass" : "") + " to " +
                     std::to_string(i.destination) + "+" + std::to_string(i.destination_count) + " from";
  for (const std::uint8_t source : i.sources) text += " " + std::to_string(source);
  for (const std::uint8_t units : i.units) text += " on " + std::to_string(units);
  text += " kind " + std::to_string(static_cast<int>(i.address_kind));
  if (i.address_kind == AddressKind::stride)
    text += " at " + std::to_string(i.address) + " by " + std::to_string(i.stride);
  for (std::size_t n = i.address; i.address_kind == AddressKind::list && n < cta.addresses.size(); ++n)
    text += " " + std::to_string(cta.addresses[n]);
  return text;
}

/// What a parser makes of one line.
std::string parsed(InstructionParser& parser, const std::string& line) {
  CtaTrace cta;
  cta.addresses.resize(3);  // of instructions before
  InstructionParser::Failure failure;
  if (parser.parse(line, cta, failure)) return text_of(cta.instructions.at(0), cta);
  CHECK(cta.instructions.empty());
  return std::to_string(failure.column) + ": " + failure.message;
}

/// Lines as kernels have them: few places, many masks and addresses, and now and then a fault.
class Lines {
 public:
  std::string next(bool position, bool source_line) {
    std::string line;
    if (position) line = pick({"0 0 0 1 ", "0 0 0 12 ", "3 0 0 1 "});
    if (source_line) line += pick({"7 ", "71 "});
    line += pick({"0000", "0010", "1 ", "00000010", "10000"}) + blank() +
            pick({"ffffffff", "0000ffff", "00000001", "00000000", "FFFF0000", "ffff", "0xffffff", "3"}) +
            blank() +
            pick({"1 R4 LDG.E.SYS 1 R2 4", "1 R4 LDG.E.SYS 1 R2 48", "0 STG.E.SYS 2 R2 R4 4",
                  "1 R4 LD.E 1 R2 8", "0 ST.E 2 R2 R3 8", "1 R8 LDS 1 R2 4", "1 R2 FFMA 3 R1 R2 R3 0",
                  "0 BAR.SYNC 0 0", "0 EXIT 0 0", "1 R2 FFMA 0 4"});
    const std::string mode = pick({"", " 0", " 1", "\t1", " 2", " 3"});
    line += mode;
    if (mode.size() == 2) addresses(mode[1]);
    line += addresses_ + pick({"", " ", " 0", " -5", " 18446744073709551615", " 0 0", " x"});
    addresses_.clear();
    if (random_() % 8 == 0) line[random_() % line.size()] = pick({" ", "\t", "g", "1", "\r"})[0];
    return line;
  }

 private:
  std::string pick(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }
  std::string blank() { return random_() % 16 == 0 ? pick({"  ", "\t"}) : " "; }
  void addresses(char mode) {
    const auto address = [&] {
      return pick({" 0x7f0000000000", " 0x7f2000000040", " 7f2001000000", " 0x0", " 0xffffffffffffffff",
                   " 0x10000000000000000", " 0x00007f00000000000004", " 7f20000000400000000000000000"});
    };
    addresses_ = address();
    if (mode == '1') addresses_ += pick({" 4", " -4", " 0", " 2147483648", " 9223372036854775808"});
    const unsigned more = mode == '1' ? 0 : pick({"0", "15", "31"}) == "31" ? 31 : 15;
    for (unsigned n = 0; n < more; ++n) addresses_ += mode == '0' ? address() : pick({" 4", " 4", " -128"});
  }

  std::mt19937_64 random_{15};
  std::string addresses_;
};

}  // namespace

// A parser that has seen lines before takes short ways; one that has seen none reads every character.
TEST_CASE("What a line says does not depend on the lines before it") {
  int good = 0;
  for (const bool position : {false, true})
    for (const bool source_line : {false, true}) {
      const KernelHeader h = header(position, source_line);
      InstructionParser old(h);
      Lines lines;
      for (int n = 0; n < 6000; ++n) {
        const std::string line = lines.next(position, source_line);
        InstructionParser fresh(h);
        const std::string expected = parsed(fresh, line);
        INFO("line '" << line << "'");
        CHECK(parsed(old, line) == expected);
        good += expected.find("mask") != std::string::npos && expected.find(": ") == std::string::npos;
      }
    }
  CHECK(good > 1000);
}

TEST_CASE("A line that comes again has its own mask and addresses") {
  const KernelHeader h = header(false, false);
  InstructionParser parser(h);
  const std::string load = " 1 R4 LDG.E.SYS 1 R2 4 1 ";
  CHECK_THAT(parsed(parser, "0010 ffffffff" + load + "0x1000 4 0"), has_text("at 4096 by 4"));
  CHECK_THAT(parsed(parser, "0010 0000000f" + load + "0x2000 8 0"),
             has_text("mask 15 ") && has_text("at 8192 by 8"));
  CHECK_THAT(parsed(parser, "0010 00000001" + load + "0x3000 8 0"), has_text("at 12288 by 0"));
  // Twice the same addresses, with another mask between them, and with a longer list behind.
  for (const char* mask : {"ffffffff", "0000000f", "ffffffff"})
    for (int again = 0; again < 3; ++again)
      CHECK_THAT(parsed(parser, std::string("0010 ") + mask + load + "0x4000 4 0"),
                 has_text("mask " + std::to_string(std::stoul(mask, nullptr, 16)) + " ") &&
                     has_text("at 16384 by 4"));
  CHECK_THAT(parsed(parser, "0010 ffffffff" + load + "0x4000 4 0 0"),
             has_text("expected the end of the line"));
  CHECK_THAT(parsed(parser, "0010 ffffffff" + load + "0x4000 4"), has_text("at 16384 by 4"));
  CHECK_THAT(parsed(parser, "0010 ffffffff" + load + "0x4000 4 0"), has_text("at 16384 by 4"));
  // One that is kept by its whole text is no other line's beginning, nor a longer width that of a shorter
  // one.
  CHECK_THAT(parsed(parser, "0020 ffffffff 1 R2 FFMA 3 R1 R2 R3 0 7"), has_text("kind 0"));
  CHECK_THAT(parsed(parser, "0020 ffffffff 1 R2 FFMA 3 R1 R2 R3 0 7 7"),
             has_text("expected the end of the line"));
  CHECK_THAT(parsed(parser, "0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4x 1 0x1000 4 0"),
             has_text("expected a memory width"));
}

// What every opcode of the tables moves or orders is known.

namespace {

bool has_own_effect(std::string_view name) {
  const auto names = opcodes_with_own_effect();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("the effect of every opcode that is neither arithmetic nor an access is stated") {
  for (const opcodes::OpcodeRow& row : opcodes::all_rows()) {
    INFO(std::string(row.name));
    const bool stated = has_own_effect(row.name);
    if (row.kind.op == OpClass::other && row.kind.unit != Unit::branch) CHECK(stated);
    // Names that begin so move bytes, whatever their class.
    for (const char* prefix :
         {"TEX", "TLD", "SULD", "SUST", "SURED", "SUATOM", "UBLK", "UTMA", "LDC", "ULDC", "LDT", "STT"})
      if (row.name.substr(0, std::string_view(prefix).size()) == prefix) CHECK(stated);
    const InstructionEffect effect = effect_of(row);
    CHECK(effect.reason.empty() == (effect.effect != Effect::ignored));
    const bool accesses = touches_global_memory(row.kind.op) || touches_shared_memory(row.kind.op);
    CHECK(accesses == (effect.effect == Effect::traffic));
    // The readers act on what is said to order.
    const std::uint16_t orders =
        opcodes::commit_flag | opcodes::wait_flag | opcodes::mbarrier_flag | opcodes::cluster_flag;
    CHECK((effect.effect == Effect::order) == (row.kind.op == OpClass::barrier || (row.flags & orders) != 0));
    // What the SM counts as missing is said to be ignored.
    if ((row.flags & (opcodes::unknown_copy_flag | opcodes::unknown_wait_flag)) != 0)
      CHECK(effect.effect == Effect::ignored);
  }
}

TEST_CASE("effects are stated of opcodes that there are, in the order of their names") {
  const auto names = opcodes_with_own_effect();
  CHECK(std::is_sorted(names.begin(), names.end()));
  std::set<std::string_view> all;
  for (const opcodes::OpcodeRow& row : opcodes::all_rows()) all.insert(row.name);
  for (const std::string_view name : names) {
    INFO(std::string(name));
    CHECK(all.count(name) == 1);
  }
}
