#include "models/common/address_map.h"

#include <set>

namespace strata {
namespace {

constexpr int address_bits = 40;  // PAE mixes the bits below this one: 1 TB of device memory
constexpr int max_hashed = 20;    // 1024 channels of 1024 slices

bool is_power_of_two(int value) {
  return (value & (value - 1)) == 0;
}

std::uint8_t log2_floor(std::uint64_t value) {
  return static_cast<std::uint8_t>(63 - __builtin_clzll(value));
}
int log2_ceil(std::uint64_t value) {
  return value <= 1 ? 0 : log2_floor(value - 1) + 1;
}

}  // namespace

// Bits that the matrix does not mix stay.
template <class Table>
std::unique_ptr<Table> AddressMap::multiplied(const Gf2Matrix& matrix) {
  auto table = std::make_unique<Table>();
  const std::uint64_t mixed = (std::uint64_t{1} << matrix.size()) - 1;
  for (std::size_t byte = 0; byte < table->size(); ++byte)
    for (std::size_t value = 0; value < 256; ++value) {
      const std::uint64_t factor = std::uint64_t{value} << 8 * byte;
      (*table)[byte][value] = static_cast<typename Table::value_type::value_type>(
          matrix.multiply(factor & mixed) ^ (factor & ~mixed));
    }
  return table;
}

AddressMap::AddressMap(const AddressMapParams& params, const Gf2Matrix* matrix)
    : powers_(is_power_of_two(params.channels) && is_power_of_two(params.slices_per_channel)),
      channel_bits_(log2_floor(static_cast<std::uint64_t>(params.channels))),
      slice_bits_(log2_floor(static_cast<std::uint64_t>(params.slices_per_channel))),
      partition_bit_(log2_floor(params.partition)),
      line_bit_(log2_floor(params.line)),
      within_mask_(static_cast<std::uint32_t>(params.partition / params.line - 1)),
      channel_count_(static_cast<std::uint64_t>(params.channels)),
      slice_count_(static_cast<std::uint64_t>(params.slices_per_channel)),
      params_(params) {
  if (matrix == nullptr) return;
  if (matrix->size() <= 32)
    products_ = multiplied<Products>(*matrix);
  else
    wide_ = multiplied<WideProducts>(*matrix);
  other_ = wide_ != nullptr;
}

AddressMap::AddressMap(const AddressMapParams& params, std::unique_ptr<const PartitionMap> map)
    : AddressMap(params, static_cast<const Gf2Matrix*>(nullptr)) {
  map_ = std::move(map);
  other_ = true;
  std::set<std::uint64_t> numbers;
  for (std::uint64_t partition = 0; partition < 4096; ++partition)
    if (!numbers.insert(map_->permute(partition)).second)
      throw ConfigError("address_map: kind '" + std::string(AddressMapRow::table().at(params.kind).name) +
                        "' gives partition " + std::to_string(partition) + " the number of one before it");
}

std::uint64_t AddressMap::permuted(std::uint64_t partition) const {
  if (map_ != nullptr) return map_->permute(partition);
  std::uint64_t product = partition >> 40 << 40;
  for (std::size_t byte = 0; byte < wide_->size(); ++byte)
    product ^= (*wide_)[byte][partition >> 8 * byte & 255];
  return product;
}

void AddressMapParams::for_each_param(ParamVisitor& visitor) {
  AddressMapRow::table().param(
      visitor, {"kind", "", "plain bit slicing, or PAE: an invertible XOR matrix over the page-address bits"},
      kind);
  visitor.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  visitor.bytes({"partition", "bytes", "contiguous bytes that stay on one channel and slice"}, partition,
                {32, static_cast<std::int64_t>(64 * KiB), true});
  visitor.integer({"channels", "channels", "memory controllers"}, channels, {1, 1024});
  visitor.integer({"slices_per_channel", "slices", "LLC slices of each memory controller"},
                  slices_per_channel, {1, 1024});
  visitor.text({"matrix", "", "file with the rows of the PAE matrix; empty for the built-in matrix"}, matrix);
}

Faults AddressMapParams::validate() const {
  Faults faults;
  if (partition < line)
    faults.push_back(param_fault("partition", "is " + to_text(partition) + ", less than a line (" +
                                                  to_text(line) + "); allowed: a multiple of the line"));
  if (kind == Kind::bits && !matrix.empty())
    faults.push_back(
        param_fault("matrix", "is '" + matrix + "' but kind is bits; only kind pae has a matrix"));
  return faults;
}

static std::unique_ptr<AddressMap> make_bits_map(const AddressMapParams& params) {
  return std::make_unique<AddressMap>(params, static_cast<const Gf2Matrix*>(nullptr));
}

static std::unique_ptr<AddressMap> make_pae_map(const AddressMapParams& params) {
  const int low_bit = log2_floor(params.partition);
  const int size = address_bits - low_bit;
  if (!params.matrix.empty()) {
    const Gf2Matrix matrix = read_pae_matrix(params.matrix, low_bit, size);
    return std::make_unique<AddressMap>(params, &matrix);
  }
  const int hashed = log2_ceil(static_cast<std::uint64_t>(params.channels) *
                               static_cast<std::uint64_t>(params.slices_per_channel));
  static_assert(max_hashed <= address_bits - 16, "the hashed bits must fit above the largest partition");
  const Gf2Matrix matrix = default_pae_matrix(size, hashed);
  const int dependent = first_dependent_row(matrix);
  if (dependent != gf2_invertible)
    throw ConfigError("address_map: built-in matrix of " + std::to_string(hashed) +
                      " hashed bits is not invertible");
  return std::make_unique<AddressMap>(params, &matrix);
}

// In the order of AddressMapParams::Kind.
PolicyTable<AddressMapRow>& AddressMapRow::table() {
  static PolicyTable<AddressMapRow> rows = {
      {"bits", "not at all: plain bit slicing", make_bits_map},
      {"pae", "by an invertible XOR matrix over the page-address bits", make_pae_map},
  };
  return rows;
}

std::unique_ptr<AddressMap> make_address_map(const AddressMapParams& params) {
  AddressMapParams checked = params;
  require_valid(checked, "address_map");
  return AddressMapRow::table().at(params.kind).make(params);
}

}  // namespace strata
