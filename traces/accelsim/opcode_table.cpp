#include "traces/accelsim/opcode_table.h"

#include <algorithm>
#include <array>

#include "traces/accelsim/opcode_rows.h"

namespace strata::traces {
namespace {

using namespace opcodes;

const OpcodeRow* find_row(std::string_view name) {
  const OpcodeRows known = all_rows();
  const OpcodeRow* const found =
      std::lower_bound(known.begin(), known.end(), name,
                       [](const OpcodeRow& row, std::string_view key) { return row.name < key; });
  return found != known.end() && found->name == name ? found : nullptr;
}

/// Bits named by a token such as `64` or `U8`; 0 when it names none.
int width_bits(std::string_view token) {
  if (!token.empty() && token.front() == 'U') token.remove_prefix(1);
  if (token.empty() || token.size() > 3) return 0;
  int bits = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return 0;
    bits = bits * 10 + (c - '0');
  }
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits : 0;
}

/// Tokens after the base opcode. TRACEG_FORMAT 4: the first token of digits, or U and digits, is the width.
void read_tokens(std::string_view tokens, Opcode& out) {
  bool strong = false, gpu = false, constant = false, sized = false;
  std::string_view last;
  while (!tokens.empty()) {
    const std::size_t dot = tokens.find('.');
    last = tokens.substr(0, dot);
    tokens = dot == std::string_view::npos ? std::string_view{} : tokens.substr(dot + 1);
    if (!sized && width_bits(last) > 0) {
      out.width = static_cast<std::uint8_t>(width_bits(last) / 8);
      sized = true;
    }
    strong = strong || last == "STRONG";
    gpu = gpu || last == "GPU";
    constant = constant || last == "CONSTANT" || last == "CI";  // ld.global.nc from Volta on, before
    if (out.copy && last == "BYPASS") out.bypass_l1 = true;
  }
  if (out.op == OpClass::load) {
    out.bypass_l1 = out.bypass_l1 || (strong && gpu);
    out.non_coherent = constant;
    if (constant) out.op = OpClass::read_only_load;
  }
  if (out.width > 4 && out.op != OpClass::store && out.op != OpClass::shared_store)
    out.destination_count = static_cast<std::uint8_t>(out.width / 4);
}

bool has_token(std::string_view text, std::string_view token) {
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos;) {
    text.remove_prefix(dot + 1);
    dot = text.find('.');
    if (text.substr(0, dot) == token) return true;
  }
  return false;
}

/// What SYNCS and ARRIVES do with the barrier at their address. Forms as nvcc writes them for PTX: EXCH init;
/// ARRIVE.TRANS64 arrive.expect_tx, .A1T0 and .ART0 arrive with one and with a register's count, .A0TR
/// expect_tx, .A0T1 what stands before LDGSTSBAR.TRANSCNT; PHASECHK test_wait and try_wait;
/// LDGSTSBAR cp.async.mbarrier.arrive, .ARVCNT with .noinc.
void read_mbarrier(std::string_view text, Opcode& out) {
  out.mbarrier = true;
  out.width = 8;
  if (has_token(text, "EXCH")) {
    out.at_address = Sync::mbarrier_init;
  } else if (has_token(text, "PHASECHK")) {
    out.at_address = Sync::mbarrier_wait;
  } else if (has_token(text, "LDGSTSBAR")) {
    out.at_address = Sync::mbarrier_copies;
    out.operand = has_token(text, "TRANSCNT") ? 0 : 1;
  } else if (has_token(text, "ARRIVE") && !has_token(text, "A0T1") && !has_token(text, "A0TX")) {
    const bool counts = has_token(text, "A1T0") || has_token(text, "ART0");
    out.at_address = counts ? Sync::mbarrier_arrive : Sync::mbarrier_expect;
    out.counts = has_token(text, "ART0");
    out.operand = counts ? 1 : has_token(text, "A0TR") ? expect_alone : 0;
  }
}

}  // namespace

const OpcodeTable* OpcodeTable::find(std::int64_t binary_version) {
  // Maxwell has the instructions of Pascal.
  static const OpcodeTable tables[] = {
      {35, kepler},       {37, kepler},  //
      {50, pascal},       {52, pascal},       {53, pascal},       {60, pascal},    {61, pascal},
      {62, pascal},       {70, volta},        {72, volta},        {75, turing},    {80, ampere_alone},
      {86, ampere_alone}, {87, ampere_alone}, {89, ampere_alone}, {90, hopper},    {100, blackwell},
      {103, blackwell},   {110, blackwell},   {120, blackwell},   {121, blackwell}};
  for (const OpcodeTable& table : tables)
    if (table.version_ == binary_version) return &table;
  return nullptr;
}

std::string OpcodeTable::known_versions() {
  return "35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121";
}

bool OpcodeTable::decode(std::string_view text, Opcode& out) const {
  const std::size_t dot = text.find('.');
  const OpcodeRow* row = find_row(text.substr(0, dot));
  if (row == nullptr || (row->families & family_) == 0) return false;
  out = Opcode{};
  out.op = row->kind.op;
  out.unit = row->kind.unit;
  out.generic = (row->flags & generic_flag) != 0;
  if (const InstructionEffect effect = effect_of(*row); effect.effect == Effect::ignored)
    out.ignored = effect.reason;
  out.local = (row->flags & local_flag) != 0;
  out.copy = (row->flags & copy_flag) != 0;
  out.unknown_copy = (row->flags & unknown_copy_flag) != 0;
  out.unknown_wait = (row->flags & unknown_wait_flag) != 0;
  if ((row->flags & commit_flag) != 0) out.sync = Sync::copy_commit;
  if ((row->flags & wait_flag) != 0) out.sync = Sync::copy_wait;
  out.barrier = out.op == OpClass::barrier;
  if (out.barrier) out.sync = has_token(text, "ARV") ? Sync::barrier_arrive : Sync::barrier_sync;
  if (row->name == "REPLAY_START") out.mark = ReplayMark::start;
  if (row->name == "REPLAY_END") out.mark = ReplayMark::end;
  const bool memory = touches_global_memory(out.op) || touches_shared_memory(out.op);
  if (memory && dot != std::string_view::npos) read_tokens(text.substr(dot + 1), out);
  if (!memory) out.width = 0;
  if (out.unknown_copy || out.unknown_wait) out.ignored = {};  // its record says it
  if ((row->flags & mbarrier_flag) != 0) read_mbarrier(text, out);
  if ((row->flags & cluster_flag) != 0)
    out.sync = row->name == "UCGABAR_WAIT" ? Sync::cluster_wait : Sync::cluster_arrive;
  return true;
}

std::vector<std::string> OpcodeTable::names() const {
  std::vector<std::string> out;
  for (const OpcodeRow& row : all_rows())
    if ((row.families & family_) != 0) out.emplace_back(row.name);
  return out;
}

}  // namespace strata::traces
