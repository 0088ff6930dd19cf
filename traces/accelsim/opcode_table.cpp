#include "traces/accelsim/opcode_table.h"

#include <algorithm>
#include <array>

namespace strata::traces {
namespace {

// Instruction sets as listed in NVIDIA's "CUDA Binary Utilities", chapter "Instruction Set Reference".
constexpr unsigned kepler = 1, pascal = 2, volta = 4, turing = 8, hopper = 32, blackwell = 64;
constexpr unsigned ampere_alone = 16;                           // Ada has the same
constexpr unsigned ampere = ampere_alone | hopper | blackwell;  // and what came behind it
constexpr unsigned bulk = hopper | blackwell;                   // with bulk copies and clusters
constexpr unsigned old = kepler | pascal;
constexpr unsigned recent = volta | turing | ampere;
constexpr unsigned uniform = turing | ampere;  // with uniform registers and matrix loads
constexpr unsigned all = old | recent;

constexpr std::uint8_t generic_flag = 1;

struct Row {
  std::string_view name;
  OpClass op;
  unsigned families;
  std::uint8_t flags = 0;
};

constexpr auto alu = OpClass::alu;
constexpr auto sfu = OpClass::sfu;
constexpr auto other = OpClass::other;

// Sorted by name (checked by a test): looked up by bisection, once per distinct opcode text.
constexpr Row rows[] = {
    {"ACQBULK", other, bulk},
    {"ARRIVES", other, bulk},
    {"ATOM", OpClass::atomic, all},
    {"ATOMG", OpClass::atomic, recent},
    {"ATOMS", OpClass::shared_load, pascal | recent},
    {"B2R", other, all},
    {"BAR", OpClass::barrier, all},
    {"BFE", alu, old},
    {"BFI", alu, old},
    {"BGMMA", alu, bulk},
    {"BMMA", alu, uniform},
    {"BMOV", other, recent},
    {"BMSK", alu, recent},
    {"BPT", other, all},
    {"BRA", other, all},
    {"BREAK", other, recent},
    {"BREV", alu, recent},
    {"BRK", other, old},
    {"BRX", other, all},
    {"BRXU", other, uniform},
    {"BSSY", other, recent},
    {"BSYNC", other, recent},
    {"CAL", other, old},
    {"CALL", other, recent},
    {"CCTL", other, all},
    {"CCTLL", other, all},
    {"CCTLT", other, pascal | recent},
    {"CGAERRBAR", other, bulk},
    {"CLMAD", alu, bulk},
    {"CONT", other, old},
    {"CREDUX", alu, blackwell},
    {"CS2R", alu, pascal | recent},
    {"CSET", alu, old},
    {"CSETP", alu, old},
    {"CSMTEST", other, recent},
    {"DADD", alu, all},
    {"DEPBAR", other, all},
    {"DFMA", alu, all},
    {"DMMA", alu, ampere},
    {"DMNMX", alu, old},
    {"DMUL", alu, all},
    {"DSET", alu, old},
    {"DSETP", alu, all},
    {"ELECT", other, bulk},
    {"ENDCOLLECTIVE", other, bulk},
    {"ERRBAR", other, recent},
    {"EXIT", OpClass::exit, all},
    {"F2F", sfu, all},
    {"F2FP", alu, ampere},
    {"F2I", sfu, all},
    {"F2IP", alu, ampere},
    {"FADD", alu, all},
    {"FADD2", alu, blackwell},
    {"FADD32I", alu, all},
    {"FCHK", alu, all},
    {"FCMP", alu, old},
    {"FENCE", other, bulk},
    {"FFMA", alu, all},
    {"FFMA2", alu, blackwell},
    {"FFMA32I", alu, all},
    {"FHADD", alu, blackwell},
    {"FHFMA", alu, blackwell},
    {"FLO", sfu, all},
    {"FMNMX", alu, all},
    {"FMNMX3", alu, blackwell},
    {"FMUL", alu, all},
    {"FMUL2", alu, blackwell},
    {"FMUL32I", alu, all},
    {"FRND", sfu, recent},
    {"FSEL", alu, recent},
    {"FSET", alu, all},
    {"FSETP", alu, all},
    {"FSWZ", alu, old},
    {"FSWZADD", alu, pascal | recent},
    {"GETLMEMBASE", other, all},
    {"HADD2", alu, pascal | recent},
    {"HADD2_32I", alu, pascal | recent},
    {"HFMA2", alu, pascal | recent},
    {"HFMA2_32I", alu, pascal | recent},
    {"HGMMA", alu, bulk},
    {"HMMA", alu, recent},
    {"HMNMX2", alu, ampere},
    {"HMUL2", alu, pascal | recent},
    {"HMUL2_32I", alu, pascal | recent},
    {"HSET2", alu, pascal | recent},
    {"HSETP2", alu, pascal | recent},
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
    {"IGMMA", alu, bulk},
    {"IMAD", alu, all},
    {"IMAD32I", alu, old},
    {"IMADSP", alu, old},
    {"IMMA", alu, recent},
    {"IMNMX", alu, all},
    {"IMUL", alu, all},
    {"IMUL32I", alu, all},
    {"ISAD", alu, kepler},
    {"ISCADD", alu, all},
    {"ISCADD32I", alu, all},
    {"ISET", alu, old},
    {"ISETP", alu, all},
    {"ISUB", alu, kepler},
    {"JCAL", other, old},
    {"JMP", other, all},
    {"JMX", other, all},
    {"JMXU", other, uniform},
    {"KIL", other, old},
    {"KILL", other, recent},
    {"LD", OpClass::load, all, generic_flag},
    {"LDC", alu, all},
    {"LDCU", alu, blackwell},
    {"LDG", OpClass::load, all},
    {"LDGDEPBAR", other, ampere},
    {"LDGMC", OpClass::load, bulk},
    {"LDGSTS", OpClass::load, ampere},
    {"LDL", OpClass::load, all},
    {"LDS", OpClass::shared_load, all},
    {"LDSLK", OpClass::shared_load, kepler},
    {"LDSM", OpClass::shared_load, uniform},
    {"LDT", other, blackwell},
    {"LDTM", other, blackwell},
    {"LDU", OpClass::load, kepler},
    {"LEA", alu, pascal | recent},
    {"LEPC", alu, pascal | recent},
    {"LONGJMP", other, old},
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
    {"NANOSLEEP", other, recent},
    {"NOP", other, all},
    {"OMMA", alu, blackwell},
    {"P2R", alu, all},
    {"PBK", other, old},
    {"PCNT", other, old},
    {"PEXIT", other, old},
    {"PLONGJMP", other, old},
    {"PLOP3", alu, recent},
    {"PMTRIG", other, all},
    {"POPC", sfu, all},
    {"PREEXIT", other, bulk},
    {"PRET", other, old},
    {"PRMT", alu, all},
    {"PSET", alu, old},
    {"PSETP", alu, all},
    {"QGMMA", alu, bulk},
    {"QMMA", alu, blackwell},
    {"QSPC", other, recent},
    {"R2B", other, all},
    {"R2P", alu, all},
    {"R2UR", alu, uniform},
    {"RED", OpClass::atomic, all},
    {"REDAS", other, bulk},
    {"REDG", OpClass::atomic, bulk},
    {"REDUX", alu, ampere},
    {"RET", other, all},
    {"RPCMOV", other, recent},
    {"RRO", sfu, old},
    {"RTT", other, recent},
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
    {"SSY", other, old},
    {"ST", OpClass::store, all, generic_flag},
    {"STAS", other, bulk},
    {"STG", OpClass::store, pascal | recent},
    {"STL", OpClass::store, all},
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
    {"SYNC", other, pascal},
    {"SYNCS", other, bulk},
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
    {"UBLKCP", other, bulk},
    {"UBLKPF", other, bulk},
    {"UBLKRED", other, bulk},
    {"UBMSK", alu, uniform},
    {"UBREV", alu, uniform},
    {"UCGABAR_ARV", other, bulk},
    {"UCGABAR_GET", other, bulk},
    {"UCGABAR_SET", other, bulk},
    {"UCGABAR_WAIT", other, bulk},
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
    {"UTCHMMA", alu, blackwell},
    {"UTCIMMA", alu, blackwell},
    {"UTCMXQMMA", alu, blackwell},
    {"UTCOMMA", alu, blackwell},
    {"UTCQMMA", alu, blackwell},
    {"UTCSHIFT", alu, blackwell},
    {"UTMACCTL", other, bulk},
    {"UTMACMDFLUSH", other, bulk},
    {"UTMALDG", other, bulk},
    {"UTMAPF", other, bulk},
    {"UTMAREDG", other, bulk},
    {"UTMASTG", other, bulk},
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
    {"WARPSYNC", other, recent},
    {"XMAD", alu, pascal},
    {"YIELD", other, recent},
};

const Row* find_row(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(rows), std::end(rows), name,
                                       [](const Row& row, std::string_view key) { return row.name < key; });
  return found != std::end(rows) && found->name == name ? found : nullptr;
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
  }
  if (out.op == OpClass::load) {
    out.bypass_l1 = strong && gpu;
    out.non_coherent = constant;
    if (constant) out.op = OpClass::read_only_load;
  }
  if (out.width > 4 && out.op != OpClass::store && out.op != OpClass::shared_store)
    out.destination_count = static_cast<std::uint8_t>(out.width / 4);
}

}  // namespace

const OpcodeTable* OpcodeTable::find(std::int64_t binary_version) {
  static const OpcodeTable tables[] = {{35, kepler},       {60, pascal},       {61, pascal},
                                       {70, volta},        {75, turing},       {80, ampere_alone},
                                       {86, ampere_alone}, {89, ampere_alone}, {90, hopper},
                                       {100, blackwell},   {120, blackwell}};
  for (const OpcodeTable& table : tables)
    if (table.version_ == binary_version) return &table;
  return nullptr;
}

std::string OpcodeTable::known_versions() {
  return "35, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120";
}

bool OpcodeTable::decode(std::string_view text, Opcode& out) const {
  const std::size_t dot = text.find('.');
  const Row* row = find_row(text.substr(0, dot));
  if (row == nullptr || (row->families & family_) == 0) return false;
  out = Opcode{};
  out.op = row->op;
  out.generic = (row->flags & generic_flag) != 0;
  const bool memory = touches_global_memory(out.op) || touches_shared_memory(out.op);
  if (memory && dot != std::string_view::npos) read_tokens(text.substr(dot + 1), out);
  if (!memory) out.width = 0;
  return true;
}

std::vector<std::string> OpcodeTable::names() const {
  std::vector<std::string> out;
  for (const Row& row : rows)
    if ((row.families & family_) != 0) out.emplace_back(row.name);
  return out;
}

}  // namespace strata::traces
