#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/faults.h"
#include "models/common/instruction_source.h"
#include "models/common/named.h"
#include "traces/ptx/ptx.h"
#include "traces/workloads/expression.h"

/// A workload file (docs/guide/workloads.md) with all expressions evaluated for one scale.
namespace strata::traces {

enum class ElementType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };
struct ElementRow {
  ElementType value;
  std::string_view name;
  std::uint32_t bytes;
};
constexpr ElementRow element_types[] = {{ElementType::u8, "u8", 1},   {ElementType::i8, "i8", 1},
                                        {ElementType::u16, "u16", 2}, {ElementType::i16, "i16", 2},
                                        {ElementType::u32, "u32", 4}, {ElementType::i32, "i32", 4},
                                        {ElementType::u64, "u64", 8}, {ElementType::i64, "i64", 8},
                                        {ElementType::f32, "f32", 4}, {ElementType::f64, "f64", 8}};
static_assert(names_all(element_types, ElementType::f64));
constexpr std::uint32_t element_bytes(ElementType type) {
  return row_of_value(element_types, type).bytes;
}
inline std::string to_text(ElementType type) {
  return std::string(row_of_value(element_types, type).name);
}

/// Content of a buffer before the first launch.
struct BufferFill {
  enum class Kind : std::uint8_t {
    none,         ///< unwritten device memory: reading it is a fault
    value,        ///< `first` everywhere
    uniform,      ///< seeded, from `first` to `second`; integers include both ends
    index,        ///< first + i * second
    permutation,  ///< seeded order of 0 .. count - 1
    file,         ///< raw little-endian elements
    reference,    ///< made by the reference's `prepare`
  };
  Kind kind = Kind::none;
  double first = 0, second = 0;
  std::string file;
};

struct WorkloadBuffer {
  std::string name;
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;
  BufferFill fill;
  std::string symbol;  ///< the module's variable (`__constant__`, `__device__`) that holds it; empty =
                       ///< separate memory
  SourcePosition where, symbol_where;
  std::uint64_t bytes() const { return count * element_bytes(type); }
};

struct WorkloadField;
struct WorkloadArgument {
  enum class Kind : std::uint8_t { buffer, integer, real, structure };
  Kind kind = Kind::integer;
  std::size_t buffer = 0;
  std::int64_t integer = 0;  ///< of a buffer: byte offset
  double real = 0;
  std::vector<WorkloadField> fields;  ///< of a structure
  std::uint32_t bytes = 0;            ///< of a structure, as C lays it out
  SourcePosition where;
};
struct WorkloadField {
  std::uint32_t at = 0, bytes = 0;
  WorkloadArgument value;
};

/// Host actions between launches.
struct WorkloadAction {
  enum class Kind : std::uint8_t { fill, copy };
  Kind kind = Kind::fill;
  std::size_t buffer = 0, from = 0;
  double value = 0;
};

struct WorkloadLaunch {
  std::string kernel;
  std::size_t module = 0;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<WorkloadArgument> arguments;
  std::vector<WorkloadAction> before;
  SourcePosition where, kernel_where, grid_where, block_where, shared_where, arguments_where;
};

struct WorkloadOutput {
  std::size_t buffer = 0;    ///< the device's buffer after all swaps
  std::size_t expected = 0;  ///< the buffer of that name, written by the reference
  bool exact = true;         ///< bit for bit; else |got - want| <= absolute + relative * |want|
  double absolute = 0, relative = 0;
  std::uint64_t outliers = 0;  ///< elements that may deviate more (a ray that just misses)
  std::string file;            ///< expected contents; empty = from the reference
  SourcePosition where;
};

/// Figures of a paper for the generated page; empty or 0 = none.
struct PaperFigures {
  std::string name, suite, group;
  double shared_mb = 0;
  std::int64_t kernels = 0;
  /// L1 figures in percent: misses, misses with lines of 32 B, misses that another L1 could serve, and misses
  /// avoided by a single L1 of the total size.
  std::optional<double> l1_misses, l1_misses_32, replication, one_l1_saves;
};

struct WorkloadDefinition {
  std::string file, name, title, algorithm, scale;
  std::vector<std::string> scales;
  std::uint64_t seed = 1;
  std::optional<PtxOptions::ReadOnly> read_only;             ///< unless the user chooses another
  std::optional<std::uint64_t> max_instructions, max_bytes;  ///< of a launch, unless the user chooses others
  ValueTable values;
  std::vector<std::string> modules;  ///< PTX files
  std::vector<SourcePosition> module_where;
  std::vector<WorkloadBuffer> buffers;
  std::vector<WorkloadLaunch> launches;
  std::vector<WorkloadAction> after;  ///< the last launch
  std::vector<WorkloadOutput> outputs;
  std::string reference;
  SourcePosition reference_where;
  PaperFigures paper;
};

/// A changed scale value: `n=128`.
struct ValueChange {
  std::string name, text;
};

/// Reads a workload file at a scale ("" = tiny if it exists, else the first). Throws ConfigError with all
/// faults, each with file:line:column.
WorkloadDefinition read_workload(const std::string& path, const std::string& scale = "",
                                 const std::vector<ValueChange>& changes = {});

}  // namespace strata::traces
