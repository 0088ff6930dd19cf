#include <algorithm>
#include <limits>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

// A node: its place, 257 children or records, 257 keys, whether it is a leaf, how many keys it has.
constexpr std::int64_t node_size = 517, first_child = 1, first_key = 258;
constexpr std::int32_t unused = std::numeric_limits<std::int32_t>::max();

}  // namespace

// The value of key k is 3 k + 1; keys are 2, 4, 6, ... 2 * records, so that odd ones are not found.
void btree_search(HostData& data) {
  const std::int64_t records = data.value("records");
  const auto wanted = data.i32("wanted"), found = data.i32("found", wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] % 2 == 0 && wanted[i] >= 2 && wanted[i] <= 2 * records) found[i] = 3 * wanted[i] + 1;
}

// Nodes level by level from the root; leaves and inner nodes are filled to `fill` of 256 slots (half, as a
// tree that grows by ascending keys leaves them).
void prepare_btree_search(HostData& data) {
  const std::int64_t records = data.value("records"), fill = data.value("fill"), nodes = data.value("nodes");
  const auto tree = data.i32("tree", nodes * node_size), values = data.i32("records_of_keys", records);
  std::vector<std::int64_t> level_size = {(records + fill - 1) / fill};
  while (level_size.back() > 1) level_size.push_back((level_size.back() + fill - 1) / fill);
  std::reverse(level_size.begin(), level_size.end());  // from the root
  std::fill(tree.begin(), tree.end(), 0);
  for (std::int64_t node = 0; node < nodes; ++node) {
    tree[node * node_size] = static_cast<std::int32_t>(node);
    for (std::int64_t k = 0; k < 257; ++k) tree[node * node_size + first_key + k] = unused;
  }
  std::int64_t first = 0, all = 0;
  for (const std::int64_t size : level_size) all += size;
  if (all > nodes || static_cast<std::int64_t>(level_size.size()) != data.value("height") + 1)
    throw ConfigError("reference 'btree_search': " + std::to_string(records) + " records make " +
                      std::to_string(all) + " nodes and a height of " +
                      std::to_string(level_size.size() - 1) +
                      "; the values 'nodes' and 'height' say otherwise");
  std::int64_t reach = 1;  // records below a slot of this level
  for (std::size_t level = 1; level < level_size.size(); ++level) reach *= fill;
  for (std::size_t level = 0; level < level_size.size(); ++level, reach /= fill) {
    const bool leaf = level + 1 == level_size.size();
    const std::int64_t below = leaf ? records : level_size[level + 1];
    for (std::int64_t slot = 0; slot < below; ++slot) {
      const std::int64_t node = (first + slot / fill) * node_size, at = slot % fill;
      const auto key = static_cast<std::int32_t>(2 * (slot * reach + 1));
      // The leftmost key of an inner level also takes what is smaller than all.
      tree[node + first_key + at] = !leaf && slot == 0 ? std::numeric_limits<std::int32_t>::min() : key;
      tree[node + first_child + at] =
          static_cast<std::int32_t>(leaf ? slot : first + level_size[level] + slot);
      tree[node + 515] = leaf ? 1 : 0;
      ++tree[node + 516];
      if (leaf) values[slot] = 3 * key + 1;
    }
    first += level_size[level];
  }
}

}  // namespace strata::traces::references
