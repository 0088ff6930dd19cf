#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <vector>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

// A node: its number, 257 children or records, 257 keys, leaf flag, number of keys.
constexpr std::int64_t node_size = 517, first_child = 1, first_key = 258;
constexpr std::int32_t unused = std::numeric_limits<std::int32_t>::max();

}  // namespace

// The value of key k is 3 k + 1; keys are 2, 4, 6, ... 2 * records, so that odd keys are not found.
void btree_search(HostData& data) {
  const std::int64_t records = data.value("records");
  const auto wanted = data.i32("wanted"), found = data.i32("found", wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] % 2 == 0 && wanted[i] >= 2 && wanted[i] <= 2 * records) found[i] = 3 * wanted[i] + 1;
}

// Nodes level by level from the root; leaves and inner nodes have `fill` of 256 slots (half, as in a tree
// that grows by ascending keys).
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
      // The leftmost key of an inner level also covers everything smaller.
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

void breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), levels = data.value("levels");
  const auto graph = data.i32("graph", 2 * nodes), edges = data.i32("edges"), cost = data.i32("cost", nodes);
  const auto visited = data.u8("visited", nodes);
  std::vector<std::int32_t> queue = {0};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::int32_t node = queue[at];
    for (std::int32_t i = graph[2 * node]; i < graph[2 * node] + graph[2 * node + 1]; ++i)
      if (visited[edges[i]] == 0) {
        visited[edges[i]] = 1;
        cost[edges[i]] = cost[node] + 1;
        queue.push_back(edges[i]);
      }
  }
  if (cost[queue.back()] > levels)
    throw ConfigError("reference 'breadth_first_search': the graph is " + std::to_string(cost[queue.back()]) +
                      " levels deep; the value 'levels' says " + std::to_string(levels));
}

// A random graph of constant degree; node 0 is the frontier, and has cost 0.
void prepare_breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), degree = data.value("degree");
  const auto graph = data.i32("graph", 2 * nodes), edges = data.i32("edges", nodes * degree),
             cost = data.i32("cost", nodes);
  RandomStream random(data.seed_of("edges"));
  for (std::int64_t i = 0; i < nodes; ++i) {
    graph[2 * i] = static_cast<std::int32_t>(i * degree);
    graph[2 * i + 1] = static_cast<std::int32_t>(degree);
  }
  for (std::int32_t& edge : edges)
    edge = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
  std::fill(cost.begin(), cost.end(), -1);
  cost[0] = 0;
  data.u8("frontier", nodes)[0] = data.u8("visited", nodes)[0] = 1;
}

// The message update in the kernel's precision and order, with multiply-adds fused as nvcc fuses them.
// Dividing a variable's product by 1 - survey magnifies rounding where a survey is near 1, so no tolerance
// would fit another order; with the same arithmetic the results are equal to the bit.
void survey_propagation(HostData& data) {
  const std::int64_t clauses = data.value("clauses"), variables = data.value("variables"),
                     rounds = data.value("rounds");
  const auto first = data.i32("first"), edges = data.i32("edges"), literal = data.i32("literal", clauses * 3);
  const auto survey = data.f32("survey", clauses * 3), next = data.f32("next", clauses * 3);
  std::vector<float> now(survey.begin(), survey.end()), then(now.size());
  std::vector<std::array<float, 2>> product(
      static_cast<std::size_t>(variables));  // positive, negative occurrences
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t v = 0; v < variables; ++v) {
      product[v] = {1, 1};
      for (std::int32_t at = first[v]; at < first[v + 1]; ++at)
        product[v][literal[edges[at]] & 1] *= 1 - now[edges[at]];
    }
    for (std::int64_t c = 0; c < clauses; ++c) {
      std::array<float, 3> warn{};
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t own = 3 * c + i;
        const std::array<float, 2>& all = product[literal[own] >> 1];
        const int sign = literal[own] & 1;
        const float same = all[sign] / (1 - now[own]), other = all[1 - sign];
        const float unsatisfied = (1 - other) * same;
        warn[i] = unsatisfied / std::fma(other, same, std::fma(other, 1 - same, unsatisfied));
      }
      then[3 * c] = warn[1] * warn[2];
      then[3 * c + 1] = warn[0] * warn[2];
      then[3 * c + 2] = warn[0] * warn[1];
    }
    now.swap(then);
  }
  for (std::size_t i = 0; i < now.size(); ++i) survey[i] = now[i];
  for (std::size_t i = 0; i < now.size(); ++i) next[i] = then[i];
}

// Random 3-SAT: three different variables a clause, each negated with probability one half.
void prepare_survey_propagation(HostData& data) {
  const std::int64_t clauses = data.value("clauses"), variables = data.value("variables");
  const auto first = data.i32("first", variables + 1), edges = data.i32("edges", clauses * 3),
             literal = data.i32("literal", clauses * 3);
  RandomStream random(data.seed_of("literal"));
  std::vector<std::int32_t> degree(static_cast<std::size_t>(variables) + 1, 0);
  for (std::int64_t c = 0; c < clauses; ++c) {
    for (std::int64_t i = 0; i < 3; ++i) {
      bool fresh = false;
      std::int64_t v = 0;
      while (!fresh) {
        v = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(variables)));
        fresh = true;
        for (std::int64_t j = 0; j < i; ++j) fresh &= literal[3 * c + j] >> 1 != v;
      }
      literal[3 * c + i] = static_cast<std::int32_t>(2 * v + static_cast<std::int64_t>(random.below(2)));
      ++degree[v];
    }
  }
  first[0] = 0;
  for (std::int64_t v = 0; v < variables; ++v) first[v + 1] = first[v] + degree[v];
  std::vector<std::int32_t> filled(first.begin(), first.end());
  for (std::int64_t edge = 0; edge < 3 * clauses; ++edge)
    edges[filled[literal[edge] >> 1]++] = static_cast<std::int32_t>(edge);
}

namespace {

constexpr std::uint32_t none = 0, root = 1;
constexpr std::size_t letters = 5;

std::size_t letter(std::uint8_t c) {
  return c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : c == 'T' ? 3 : 4;
}

/// The suffix tree of text[1], ..., whose last character occurs nowhere else. Nodes are numbered from 1,
/// level by level.
class SuffixTree {
 public:
  struct Node {
    std::uint32_t first = 0, last = 0;  // of the edge to it
    std::uint32_t parent = none;
    std::uint32_t depth = 0;  // characters from the root
    std::array<std::uint32_t, letters> children{};
  };

  explicit SuffixTree(HostSpan<std::uint8_t> text) : text_(text), nodes_(2) {
    for (std::size_t suffix = 1; suffix < text.size(); ++suffix) insert(suffix);
    renumber();
  }
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](std::uint32_t n) const { return nodes_[n]; }

  /// The suffix link of `n`: the node of its string without the first character; none for leaves and the
  /// empty string.
  std::uint32_t link(std::uint32_t n) const {
    const Node& node = nodes_[n];
    if (node.depth == 0 || node.last + 1 == text_.size()) return none;
    std::uint32_t at = root;
    std::size_t next = node.last + 2 - node.depth;  // of the remaining string
    while (next <= node.last) {
      at = nodes_[at].children[letter(text_[next])];
      next += nodes_[at].last - nodes_[at].first + 1;
    }
    return at == root ? none : at;
  }

 private:
  std::uint32_t add(std::size_t first, std::size_t last, std::uint32_t parent) {
    Node node;
    node.first = static_cast<std::uint32_t>(first);
    node.last = static_cast<std::uint32_t>(last);
    node.parent = parent;
    node.depth = nodes_[parent].depth + node.last - node.first + 1;
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void insert(std::size_t suffix) {
    const std::size_t end = text_.size() - 1;
    std::uint32_t at = root;
    for (std::size_t next = suffix;;) {
      const std::uint32_t child = nodes_[at].children[letter(text_[next])];
      if (child == none) {
        const std::uint32_t leaf = add(next, end, at);
        nodes_[at].children[letter(text_[next])] = leaf;
        return;
      }
      std::size_t here = nodes_[child].first;
      while (here <= nodes_[child].last && text_[here] == text_[next]) ++here, ++next;
      at = here > nodes_[child].last ? child : split(child, here);
    }
  }
  // A node in the edge to `child`, before text[here].
  std::uint32_t split(std::uint32_t child, std::size_t here) {
    const std::uint32_t parent = nodes_[child].parent;
    const std::uint32_t middle = add(nodes_[child].first, here - 1, parent);
    nodes_[parent].children[letter(text_[nodes_[child].first])] = middle;
    nodes_[middle].children[letter(text_[here])] = child;
    nodes_[child].first = static_cast<std::uint32_t>(here);
    nodes_[child].parent = middle;
    return middle;
  }
  void renumber() {
    std::vector<std::uint32_t> order = {none, root}, place(nodes_.size());
    for (std::size_t i = 1; i < order.size(); ++i)
      for (const std::uint32_t child : nodes_[order[i]].children)
        if (child != none) order.push_back(child);
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
    std::vector<Node> sorted;
    for (const std::uint32_t n : order) {
      sorted.push_back(nodes_[n]);
      sorted.back().parent = place[sorted.back().parent];
      for (std::uint32_t& child : sorted.back().children) child = place[child];
    }
    nodes_ = std::move(sorted);
  }

  HostSpan<std::uint8_t> text_;
  std::vector<Node> nodes_;
};

/// The texel of node n: column n / 32 and row n % 32, 32 rows further down when the columns are full; texels
/// in tiles of four by two, each a line of 128 B.
std::uint32_t texel(std::uint32_t n, std::uint32_t columns) {
  const std::uint32_t in_band = n % (32 * columns), band = n / (32 * columns);
  const std::uint32_t x = in_band / 32, y = 32 * band + in_band % 32;
  return n == none ? 0 : ((y / 2) * (columns / 4) + x / 4) * 8 + (y % 2) * 4 + x % 4;
}

}  // namespace

// Each longest match from the root on, base by base, without suffix links.
void suffix_matching(HostData& data) {
  const auto text = data.u8("text"), queries = data.u8("queries");
  const auto columns = static_cast<std::uint32_t>(data.value("columns"));
  const auto length = static_cast<std::size_t>(data.value("query_length"));
  const auto least = static_cast<std::size_t>(data.value("least"));
  const std::size_t places = length - least + 1, number = queries.size() / (length + 2);
  const auto matches = data.i32("matches", 2 * number * places);
  const SuffixTree tree(text);
  for (std::size_t q = 0; q < number; ++q)
    for (std::size_t place = 0; place < places; ++place) {
      const std::uint8_t* next = queries.data() + q * (length + 2) + 1 + place;
      const std::uint8_t* const begin = next;
      std::uint32_t at = root, on_edge = 0;
      while (*next != 0) {
        const std::uint32_t child = tree[at].children[letter(*next)];
        on_edge = 0;
        if (child == none) break;
        at = child;
        std::uint32_t here = tree[at].first;
        while (here <= tree[at].last && text[here] == *next) ++here, ++next;
        on_edge = here - tree[at].first;
        if (here <= tree[at].last) break;
      }
      if (static_cast<std::size_t>(next - begin) < least) continue;
      matches[2 * (q * places + place)] = static_cast<std::int32_t>(texel(at, columns));
      matches[2 * (q * places + place) + 1] = static_cast<std::int32_t>(on_edge);
    }
}

// A text over four letters that is the begin of a longer one, a genome, and queries cut from the genome
// anywhere.
void prepare_suffix_matching(HostData& data) {
  const auto text = data.u8("text"), queries = data.u8("queries");
  const auto columns = static_cast<std::uint32_t>(data.value("columns"));
  const auto nodes = data.u32("nodes"), children = data.u32("children");
  const auto length = static_cast<std::size_t>(data.value("query_length"));
  const auto genome = static_cast<std::uint64_t>(data.value("genome"));
  const auto begins = data.i32("begins", queries.size() / (length + 2));
  RandomStream random(data.seed_of("text"));
  const auto base = [&] { return static_cast<std::uint8_t>("ACGT"[random.below(4)]); };
  text[0] = 's';
  text[text.size() - 1] = '$';
  for (std::size_t i = 1; i + 1 < text.size(); ++i) text[i] = base();
  for (std::size_t q = 0; q < begins.size(); ++q) {
    std::uint8_t* const query = queries.data() + q * (length + 2);
    begins[q] = static_cast<std::int32_t>(q * (length + 2));
    query[0] = 'q';
    const std::uint64_t from = 1 + random.below(genome - length);
    for (std::size_t i = 0; i < length; ++i)
      query[1 + i] = from + i + 1 < text.size() ? text[from + i] : base();
  }
  const SuffixTree tree(text);
  for (std::uint32_t n = root; n < tree.size(); ++n) {
    std::uint32_t* const node = nodes.data() + 4 * texel(n, columns);
    std::uint32_t* const below = children.data() + 4 * texel(n, columns);
    node[0] = tree[n].first;
    node[1] = tree[n].last;
    node[2] = texel(tree.link(n), columns);
    node[3] = texel(tree[n].parent, columns);
    for (std::size_t i = 0; i < 4; ++i) below[i] = texel(tree[n].children[i], columns);
  }
}

// Element ((warp + step * warps) * stride + lane) mod elements, in 32 bits.
void walk(HostData& data) {
  const auto stride = static_cast<std::uint32_t>(data.value("stride"));
  const auto elements = static_cast<std::uint32_t>(data.value("elements"));
  const auto steps = static_cast<std::uint32_t>(data.value("steps"));
  const auto array = data.u32("array", elements), sums = data.u32("sums");
  const auto warps = static_cast<std::uint32_t>(sums.size() / 32);
  for (std::uint32_t thread = 0; thread < sums.size(); ++thread) {
    sums[thread] = 0;
    for (std::uint32_t i = 0; i < steps; ++i)
      sums[thread] += array[((thread / 32 + i * warps) * stride + thread % 32) % elements];
  }
}

void radix_sort(HostData& data) {
  const auto keys = data.u32("keys");
  std::sort(keys.begin(), keys.end());
}

void merge_sort_blocks(HostData& data) {
  constexpr std::size_t block = 1024;
  const auto in_keys = data.u32("in_keys"), in_values = data.u32("in_values", in_keys.size()),
             keys = data.u32("keys", in_keys.size()), values = data.u32("values", in_keys.size());
  std::vector<std::size_t> order(block);
  for (std::size_t base = 0; base + block <= in_keys.size(); base += block) {
    std::iota(order.begin(), order.end(), base);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return in_keys[a] < in_keys[b]; });
    for (std::size_t i = 0; i < block; ++i) {
      keys[base + i] = in_keys[order[i]];
      values[base + i] = in_values[order[i]];
    }
  }
}

// One histogram a CTA: word i belongs to CTA (i / 256) mod CTAs.
void histogram(HostData& data) {
  const std::int64_t ctas = data.value("ctas");
  const auto words = data.u32("data"), partial = data.u32("partial", ctas * 256);
  for (std::uint32_t& count : partial) count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t* const bins = partial.data() + i / 256 % static_cast<std::size_t>(ctas) * 256;
    for (int byte = 0; byte < 4; ++byte) ++bins[words[i] >> (8 * byte) & 255];
  }
}

namespace {

constexpr std::uint32_t range_bins = 24 * 1024;

}  // namespace

// The workload launches CTAs for exactly these ranges; the kernel must find the same.
void saturating_histogram(HostData& data) {
  const auto values = data.u32("values"), ranges = data.u32("ranges", 2);
  const auto places = data.u8("places", 4 * values.size());
  const auto histogram = data.u8("histogram", static_cast<std::uint64_t>(data.value("bins")));
  std::fill(histogram.begin(), histogram.end(), std::uint8_t{0});
  ranges[0] = static_cast<std::uint32_t>(data.value("first"));
  ranges[1] = static_cast<std::uint32_t>(data.value("last"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t value = values[i], inside = value % range_bins;
    std::uint8_t& count = histogram[value];
    if (count < 255) ++count;
    // Adjacent elements of a row are written half a row apart.
    const auto width = static_cast<std::size_t>(data.value("width"));
    const std::size_t column = i % width, at = i - column + column / 2 + column % 2 * (width / 2);
    std::uint8_t* const place = places.data() + 4 * at;
    place[0] = static_cast<std::uint8_t>(value / range_bins);
    place[1] = static_cast<std::uint8_t>(inside / 1024);
    place[2] = static_cast<std::uint8_t>(inside / 4 % 256);
    place[3] = static_cast<std::uint8_t>(inside % 4 * 8);
  }
}

// Nearly normal numbers, sums of twelve uniform ones, around the middle bin.
void prepare_saturating_histogram(HostData& data) {
  const auto values = data.u32("values"), ranges = data.u32("ranges", 2);
  const auto middle = static_cast<double>(data.value("bins") / 2);
  const auto spread = static_cast<double>(data.value("spread"));
  RandomStream random(data.seed_of("values"));
  for (std::uint32_t& value : values) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.real();
    value = static_cast<std::uint32_t>(middle + spread * sum);
  }
  ranges[0] = 0xffffffff;
  ranges[1] = 0;
}

}  // namespace strata::traces::references
