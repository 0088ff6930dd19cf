#include "traces/accelsim/opcode_effects.h"

#include <algorithm>
#include <iterator>

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

// Sorted by name. All of class `other`, and what moves bytes or orders in other classes without an access.
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

}  // namespace strata::traces
