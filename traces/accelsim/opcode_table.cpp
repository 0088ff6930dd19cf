#include "traces/accelsim/opcode_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace strata::traces::opcodes {
namespace {

// Conversions and population counts have the rate of special functions (NVIDIA's "CUDA C++ Programming
// Guide", table "Throughput of Native Arithmetic Instructions"). Uniform data paths count as integer units.
constexpr OpcodeKind alu{OpClass::alu, Unit::integer};
constexpr OpcodeKind sp{OpClass::alu, Unit::sp};
constexpr OpcodeKind dp{OpClass::alu, Unit::dp};
constexpr OpcodeKind tensor{OpClass::alu, Unit::tensor};
constexpr OpcodeKind sfu{OpClass::sfu, Unit::sfu};
constexpr OpcodeKind branch{OpClass::other, Unit::branch};
constexpr OpcodeKind other{OpClass::other};

// Sorted by name (checked by a test), for a binary search once per distinct opcode text.
constexpr OpcodeRow opcode_rows[] = {
    {"ACQBULK", other, bulk, unknown_wait_flag},
    {"ARRIVES", other, ampere, mbarrier_flag},
    {"ATOM", OpClass::atomic, all},
    {"ATOMG", OpClass::atomic, recent},
    {"ATOMS", OpClass::shared_load, pascal | recent},
    {"B2R", other, all},
    {"BAR", OpClass::barrier, all},
    {"BFE", alu, old},
    {"BFI", alu, old},
    {"BGMMA", tensor, bulk},
    {"BMMA", tensor, uniform},
    {"BMOV", branch, recent},
    {"BMSK", alu, recent},
    {"BPT", branch, all},
    {"BRA", branch, all},
    {"BREAK", branch, recent},
    {"BREV", alu, recent},
    {"BRK", branch, old},
    {"BRX", branch, all},
    {"BRXU", branch, uniform},
    {"BSSY", branch, recent},
    {"BSYNC", branch, recent},
    {"CAL", branch, old},
    {"CALL", branch, recent},
    {"CCTL", other, all},
    {"CCTLL", other, all},
    {"CCTLT", other, pascal | recent},
    {"CGAERRBAR", other, bulk},
    {"CLMAD", alu, bulk},
    {"CONT", branch, old},
    {"CREDUX", alu, blackwell},
    {"CS2R", alu, pascal | recent},
    {"CS2UR", alu, blackwell},
    {"CSET", alu, old},
    {"CSETP", alu, old},
    {"CSMTEST", other, recent},
    {"DADD", dp, all},
    {"DEPBAR", other, all, wait_flag},
    {"DFMA", dp, all},
    {"DMMA", tensor, ampere},
    {"DMNMX", dp, old},
    {"DMUL", dp, all},
    {"DSET", dp, old},
    {"DSETP", dp, all},
    {"ELECT", other, bulk},
    {"ENDCOLLECTIVE", other, bulk},
    {"ERRBAR", other, recent},
    {"EXIT", OpClass::exit, all},
    {"F2F", sfu, all},
    {"F2FP", alu, ampere},
    {"F2I", sfu, all},
    {"F2IP", alu, ampere},
    {"FADD", sp, all},
    {"FADD2", sp, blackwell},
    {"FADD32I", sp, all},
    {"FCHK", sp, all},
    {"FCMP", sp, old},
    {"FENCE", other, bulk},
    {"FFMA", sp, all},
    {"FFMA2", sp, blackwell},
    {"FFMA32I", sp, all},
    {"FHADD", sp, blackwell},
    {"FHFMA", sp, blackwell},
    {"FLO", sfu, all},
    {"FMNMX", sp, all},
    {"FMNMX3", sp, blackwell},
    {"FMUL", sp, all},
    {"FMUL2", sp, blackwell},
    {"FMUL32I", sp, all},
    {"FRND", sfu, recent},
    {"FSEL", sp, recent},
    {"FSET", sp, all},
    {"FSETP", sp, all},
    {"FSWZ", sp, old},
    {"FSWZADD", sp, pascal | recent},
    {"GETLMEMBASE", other, all},
    {"HADD2", sp, pascal | recent},
    {"HADD2_32I", sp, pascal | recent},
    {"HFMA2", sp, pascal | recent},
    {"HFMA2_32I", sp, pascal | recent},
    {"HGMMA", tensor, bulk},
    {"HMMA", tensor, recent},
    {"HMNMX2", sp, ampere},
    {"HMUL2", sp, pascal | recent},
    {"HMUL2_32I", sp, pascal | recent},
    {"HSET2", sp, pascal | recent},
    {"HSETP2", sp, pascal | recent},
    {"I2F", sfu, all},
    {"I2FP", alu, ampere},
    {"I2I", sfu, all},
    {"I2IP", alu, recent},
    {"IABS", alu, recent},
    {"IADD", alu, all},
    {"IADD3", alu, pascal | recent},
    {"IADD32I", alu, all},
    {"ICMP", alu, old},
    {"IDE", other, all},
    {"IDP", alu, recent},
    {"IDP4A", alu, recent},
    {"IGMMA", tensor, bulk},
    {"IMAD", alu, all},
    {"IMAD32I", alu, old},
    {"IMADSP", alu, old},
    {"IMMA", tensor, recent},
    {"IMNMX", alu, all},
    {"IMUL", alu, all},
    {"IMUL32I", alu, all},
    {"ISAD", alu, kepler},
    {"ISCADD", alu, all},
    {"ISCADD32I", alu, all},
    {"ISET", alu, old},
    {"ISETP", alu, all},
    {"ISUB", alu, kepler},
    {"JCAL", branch, old},
    {"JMP", branch, all},
    {"JMX", branch, all},
    {"JMXU", branch, uniform},
    {"KIL", branch, old},
    {"KILL", branch, recent},
    {"LD", OpClass::load, all, generic_flag},
    {"LDC", alu, all},
    {"LDCU", alu, blackwell},
    {"LDG", OpClass::load, all},
    {"LDGDEPBAR", other, ampere, commit_flag},
    {"LDGMC", OpClass::load, bulk},
    {"LDGSTS", OpClass::load, ampere, copy_flag},
    {"LDL", OpClass::load, all, local_flag},
    {"LDS", OpClass::shared_load, all},
    {"LDSLK", OpClass::shared_load, kepler},
    {"LDSM", OpClass::shared_load, uniform},
    {"LDT", other, blackwell},
    {"LDTM", other, blackwell},
    {"LDU", OpClass::load, kepler},
    {"LEA", alu, pascal | recent},
    {"LEPC", alu, pascal | recent},
    {"LONGJMP", branch, old},
    {"LOP", alu, all},
    {"LOP3", alu, pascal | recent},
    {"LOP32I", alu, all},
    {"MATCH", sfu, recent},
    {"MEMBAR", other, all},
    {"MEMSET", other, blackwell},
    {"MOV", alu, all},
    {"MOV32I", alu, all},
    {"MOVM", alu, uniform},
    {"MUFU", sfu, all},
    {"NANOSLEEP", branch, recent},
    {"NOP", other, all},
    {"OMMA", tensor, blackwell},
    {"P2R", alu, all},
    {"PBK", branch, old},
    {"PCNT", branch, old},
    {"PEXIT", branch, old},
    {"PLONGJMP", branch, old},
    {"PLOP3", alu, recent},
    {"PMTRIG", other, all},
    {"POPC", sfu, all},
    {"PREEXIT", other, bulk},
    {"PRET", branch, old},
    {"PRMT", alu, all},
    {"PSET", alu, old},
    {"PSETP", alu, all},
    {"QGMMA", tensor, bulk},
    {"QMMA", tensor, blackwell},
    {"QSPC", other, recent},
    {"R2B", other, all},
    {"R2P", alu, all},
    {"R2UR", alu, uniform},
    {"RED", OpClass::atomic, all},
    {"REDAS", other, bulk, unknown_copy_flag},
    {"REDG", OpClass::atomic, bulk},
    {"REDUX", alu, ampere},
    {"REPLAY_END", other, recent},
    {"REPLAY_START", other, recent},
    {"RET", branch, all},
    {"RPCMOV", branch, recent},
    {"RRO", sfu, old},
    {"RTT", branch, recent},
    {"S2R", alu, all},
    {"S2UR", alu, uniform},
    {"SEL", alu, all},
    {"SETCTAID", other, all},
    {"SETLMEMBASE", other, all},
    {"SGXT", alu, recent},
    {"SHF", alu, all},
    {"SHFL", sfu, all},
    {"SHL", alu, all},
    {"SHR", alu, all},
    {"SSY", branch, old},
    {"ST", OpClass::store, all, generic_flag},
    {"STAS", other, bulk, unknown_copy_flag},
    {"STG", OpClass::store, pascal | recent},
    {"STL", OpClass::store, all, local_flag},
    {"STS", OpClass::shared_store, all},
    {"STSCUL", OpClass::shared_store, kepler},
    {"STSM", OpClass::shared_store, bulk},
    {"STSUL", OpClass::shared_store, kepler},
    {"STT", other, blackwell},
    {"STTM", other, blackwell},
    {"SUATOM", sfu, pascal | recent},
    {"SUBFM", alu, kepler},
    {"SUCLAMP", alu, kepler},
    {"SUEAU", alu, kepler},
    {"SULD", sfu, pascal | recent},
    {"SULDGA", sfu, kepler},
    {"SUQUERY", sfu, ampere},
    {"SURED", sfu, pascal | recent},
    {"SUST", sfu, pascal | recent},
    {"SUSTGA", sfu, kepler},
    {"SYNC", branch, pascal},
    {"SYNCS", other, bulk, mbarrier_flag},
    {"TEX", sfu, all},
    {"TEXDEPBAR", other, old},
    {"TEXS", sfu, pascal},
    {"TLD", sfu, all},
    {"TLD4", sfu, all},
    {"TLD4S", sfu, pascal},
    {"TLDS", sfu, pascal},
    {"TMML", sfu, recent},
    {"TXD", sfu, pascal | recent},
    {"TXQ", sfu, all},
    {"UBLKCP", other, bulk, unknown_copy_flag},
    {"UBLKPF", other, bulk},
    {"UBLKRED", other, bulk, unknown_copy_flag},
    {"UBMSK", alu, uniform},
    {"UBREV", alu, uniform},
    {"UCGABAR_ARV", other, bulk, cluster_flag},
    {"UCGABAR_GET", other, bulk},
    {"UCGABAR_SET", other, bulk},
    {"UCGABAR_WAIT", other, bulk, cluster_flag},
    {"UCLEA", alu, uniform},
    {"UF2F", alu, blackwell},
    {"UF2FP", alu, ampere},
    {"UF2I", alu, blackwell},
    {"UF2IP", alu, blackwell},
    {"UFADD", alu, blackwell},
    {"UFFMA", alu, blackwell},
    {"UFLO", alu, uniform},
    {"UFMNMX", alu, blackwell},
    {"UFMUL", alu, blackwell},
    {"UFRND", alu, blackwell},
    {"UFSEL", alu, blackwell},
    {"UFSET", alu, blackwell},
    {"UFSETP", alu, blackwell},
    {"UGETNEXTWORKID", alu, blackwell},
    {"UI2F", alu, blackwell},
    {"UI2FP", alu, blackwell},
    {"UI2I", alu, blackwell},
    {"UI2IP", alu, blackwell},
    {"UIABS", alu, blackwell},
    {"UIADD3", alu, uniform},
    {"UIMAD", alu, uniform},
    {"UIMNMX", alu, blackwell},
    {"UISETP", alu, uniform},
    {"ULDC", alu, uniform},
    {"ULEA", alu, uniform},
    {"ULEPC", alu, bulk},
    {"ULOP", alu, uniform},
    {"ULOP3", alu, uniform},
    {"ULOP32I", alu, uniform},
    {"UMEMSETS", alu, blackwell},
    {"UMOV", alu, uniform},
    {"UP2UR", alu, uniform},
    {"UPLOP3", alu, uniform},
    {"UPOPC", alu, uniform},
    {"UPRMT", alu, uniform},
    {"UPSETP", alu, uniform},
    {"UR2UP", alu, uniform},
    {"USEL", alu, uniform},
    {"USETMAXREG", other, bulk},
    {"USETSHMSZ", other, bulk},
    {"USGXT", alu, uniform},
    {"USHF", alu, uniform},
    {"USHL", alu, uniform},
    {"USHR", alu, uniform},
    {"UTCATOMSWS", alu, blackwell},
    {"UTCBAR", alu, blackwell},
    {"UTCCP", alu, blackwell},
    {"UTCHMMA", tensor, blackwell},
    {"UTCIMMA", tensor, blackwell},
    {"UTCMXQMMA", tensor, blackwell},
    {"UTCOMMA", tensor, blackwell},
    {"UTCQMMA", tensor, blackwell},
    {"UTCSHIFT", alu, blackwell},
    {"UTMACCTL", other, bulk},
    {"UTMACMDFLUSH", other, bulk},
    {"UTMALDG", other, bulk, unknown_copy_flag},
    {"UTMAPF", other, bulk},
    {"UTMAREDG", other, bulk, unknown_copy_flag},
    {"UTMASTG", other, bulk, unknown_copy_flag},
    {"UVIADD", alu, blackwell},
    {"UVIMNMX", alu, blackwell},
    {"UVIRTCOUNT", other, blackwell},
    {"VABSDIFF", alu, all},
    {"VABSDIFF4", alu, all},
    {"VADD", alu, old},
    {"VHMNMX", alu, bulk},
    {"VIADD", alu, bulk},
    {"VIADDMNMX", alu, bulk},
    {"VIMNMX", alu, bulk},
    {"VIMNMX3", alu, bulk},
    {"VMAD", alu, old},
    {"VMNMX", alu, old},
    {"VOTE", alu, all},
    {"VOTEU", alu, uniform},
    {"VOTE_VTG", other, recent},
    {"VSET", alu, old},
    {"VSETP", alu, old},
    {"VSHL", alu, old},
    {"VSHR", alu, old},
    {"WARPGROUP", other, bulk},
    {"WARPGROUPSET", other, bulk},
    {"WARPSYNC", branch, recent},
    {"XMAD", alu, pascal},
    {"YIELD", branch, recent},
};

}  // namespace

OpcodeRows all_rows() {
  return {std::begin(opcode_rows), std::end(opcode_rows)};
}

}  // namespace strata::traces::opcodes

namespace strata::traces {
namespace {

using effects::constants, effects::fences, effects::pauses, effects::launches, effects::product_order;
using effects::ignored, effects::neither, effects::order;

constexpr std::string_view textures =
    "fetches of textures: the trace holds no addresses, so their traffic is missing";
constexpr std::string_view surfaces =
    "accesses of surfaces: the trace holds no addresses, so their traffic is missing";
constexpr std::string_view cache_control =
    "instructions of cache control: lines stay as they are, so hit rates behind prefetches and invalidations "
    "may differ";
constexpr std::string_view bulk_copies =
    "bulk copies: where the trace does not hold their operands, their traffic is missing";
constexpr std::string_view bulk_groups =
    "ends of groups of bulk stores: no warp waits for a group, so a kernel may be too fast";
constexpr std::string_view clusters =
    "accesses of another block's shared memory: the trace does not hold their addresses";
constexpr std::string_view tensor_memory =
    "moves between registers, shared memory and tensor memory: they take an issue slot alone";

struct Row {
  std::string_view name;
  InstructionEffect effect;
};

// Sorted by name. All opcodes of class `other`, and opcodes of other classes that move bytes or order without
// an access.
constexpr Row rows[] = {
    {"ACQBULK", ignored(launches)},
    {"ARRIVES", order},
    {"B2R", neither},
    {"CCTL", ignored(cache_control)},
    {"CCTLL", ignored(cache_control)},
    {"CCTLT", ignored(cache_control)},
    {"CGAERRBAR", ignored(fences)},
    {"CSMTEST", neither},
    {"DEPBAR", order},
    {"ELECT", neither},
    {"ENDCOLLECTIVE", neither},
    {"ERRBAR", ignored(fences)},
    {"FENCE", ignored(fences)},
    {"GETLMEMBASE", neither},
    {"IDE", neither},
    {"LDC", ignored(constants)},
    {"LDCU", ignored(constants)},
    {"LDGDEPBAR", order},
    {"LDT", ignored(tensor_memory)},
    {"LDTM", ignored(tensor_memory)},
    {"MEMBAR", ignored(fences)},
    {"MEMSET", ignored(tensor_memory)},
    {"NANOSLEEP", ignored(pauses)},
    {"NOP", neither},
    {"PMTRIG", neither},
    {"PREEXIT", ignored(launches)},
    {"QSPC", neither},
    {"R2B", neither},
    {"REDAS", ignored(clusters)},
    {"REPLAY_END", neither},  // marks of the tracer
    {"REPLAY_START", neither},
    {"SETCTAID", neither},
    {"SETLMEMBASE", neither},
    {"STAS", ignored(clusters)},
    {"STT", ignored(tensor_memory)},
    {"STTM", ignored(tensor_memory)},
    {"SUATOM", ignored(surfaces)},
    {"SULD", ignored(surfaces)},
    {"SULDGA", ignored(surfaces)},
    {"SURED", ignored(surfaces)},
    {"SUST", ignored(surfaces)},
    {"SUSTGA", ignored(surfaces)},
    {"SYNCS", order},
    {"TEX", ignored(textures)},
    {"TEXDEPBAR", ignored(textures)},
    {"TEXS", ignored(textures)},
    {"TLD", ignored(textures)},
    {"TLD4", ignored(textures)},
    {"TLD4S", ignored(textures)},
    {"TLDS", ignored(textures)},
    {"TXD", ignored(textures)},
    {"UBLKCP", ignored(bulk_copies)},
    {"UBLKPF", ignored(bulk_copies)},
    {"UBLKRED", ignored(bulk_copies)},
    {"UCGABAR_ARV", order},
    {"UCGABAR_GET", neither},
    {"UCGABAR_SET", neither},
    {"UCGABAR_WAIT", order},
    {"ULDC", ignored(constants)},
    {"UMEMSETS", ignored(tensor_memory)},
    {"USETMAXREG", neither},
    {"USETSHMSZ", neither},
    {"UTCATOMSWS", ignored(tensor_memory)},
    {"UTCBAR", ignored(product_order)},
    {"UTCCP", ignored(tensor_memory)},
    {"UTCSHIFT", ignored(tensor_memory)},
    {"UTMACCTL", ignored(cache_control)},
    {"UTMACMDFLUSH", ignored(bulk_groups)},
    {"UTMALDG", ignored(bulk_copies)},
    {"UTMAPF", ignored(bulk_copies)},
    {"UTMAREDG", ignored(bulk_copies)},
    {"UTMASTG", ignored(bulk_copies)},
    {"UVIRTCOUNT", neither},
    {"VOTE_VTG", neither},
    {"WARPGROUP", ignored(product_order)},
    {"WARPGROUPSET", neither},
};

}  // namespace

InstructionEffect effect_of(const opcodes::OpcodeRow& row) {
  const auto* const found =
      std::lower_bound(std::begin(rows), std::end(rows), row.name,
                       [](const Row& one, std::string_view name) { return one.name < name; });
  if (found != std::end(rows) && found->name == row.name) return found->effect;
  if (touches_global_memory(row.kind.op) || touches_shared_memory(row.kind.op)) return {Effect::traffic};
  if (row.kind.op == OpClass::barrier) return order;
  return neither;
}

std::vector<std::string_view> opcodes_with_own_effect() {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

namespace {

using namespace opcodes;

const OpcodeRow* find_row(std::string_view name) {
  const OpcodeRows known = all_rows();
  const OpcodeRow* const found =
      std::lower_bound(known.begin(), known.end(), name,
                       [](const OpcodeRow& row, std::string_view key) { return row.name < key; });
  return found != known.end() && found->name == name ? found : nullptr;
}

/// Number of bits in a token such as `64` or `U8`; 0 if it has none.
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

/// Parses the tokens after the base opcode. TRACEG_FORMAT 4: the first token of digits, or U and digits, is
/// the width.
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
    constant = constant || last == "CONSTANT" || last == "CI";  // ld.global.nc: from Volta on, and before
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

/// Operation of SYNCS and ARRIVES on the barrier at their address. nvcc writes: EXCH for init; ARRIVE.TRANS64
/// for arrive.expect_tx; .A1T0 and .ART0 for arrive with one and with a register's count; .A0TR for
/// expect_tx; .A0T1 before LDGSTSBAR.TRANSCNT; PHASECHK for test_wait and try_wait; LDGSTSBAR for
/// cp.async.mbarrier.arrive; .ARVCNT for .noinc.
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
  if (out.unknown_copy || out.unknown_wait) out.ignored = {};  // the record has it
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
