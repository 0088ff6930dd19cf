#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

constexpr std::uint32_t none = 0, root = 1;
constexpr std::size_t letters = 5;

std::size_t letter(std::uint8_t c) {
  return c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : c == 'T' ? 3 : 4;
}

/// The suffix tree of text[1], ..., whose last character is nowhere else. Nodes are numbered from 1, level by
/// level.
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

  /// The node that spells what `n` spells without its first character; none: that is nothing, or n is a leaf.
  std::uint32_t link(std::uint32_t n) const {
    const Node& node = nodes_[n];
    if (node.depth == 0 || node.last + 1 == text_.size()) return none;
    std::uint32_t at = root;
    std::size_t next = node.last + 2 - node.depth;  // of what is left to spell
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
  // A node in the edge to `child`, in front of text[here].
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

/// Where a node's texel lies: node n in column n / 32 and row n % 32, 32 rows further down when the columns
/// are full; texels in tiles of four by two, each a line of 128 B.
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

// A text over four letters that begins a longer one, a genome, and queries cut from the genome anywhere.
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

}  // namespace strata::traces::references
