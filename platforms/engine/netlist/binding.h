#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/engine/netlist/expression.h"

namespace strata::platforms {

/// `llc[m*8+k].noc[0]`; a missing index is empty.
struct BindingEnd {
  std::string instance;
  std::string port;
  std::size_t instance_offset = 0;
  std::size_t port_offset = 0;
  std::optional<Expression> index;
  std::optional<Expression> socket;
  std::string text;
};

/// `i in 0..7`: the range includes both ends.
struct BindingRange {
  std::string name;
  std::size_t offset = 0;
  Expression first;
  Expression last;
};

/// One binding statement: `from -> to [for i in 0..7, j in 0..3]`.
struct Binding {
  BindingEnd from;
  BindingEnd to;
  std::vector<BindingRange> ranges;
};

/// Throws SyntaxFault.
Binding read_binding(std::string_view text);

/// The brackets after an instance name in an override: `3` or `0..7`.
struct IndexRange {
  std::string first;
  std::string last;
};

/// Splits "llc[0..7]" into the name and its range; without brackets the range is empty. Throws SyntaxFault.
std::optional<IndexRange> read_indexed_name(std::string_view text, std::string& name);

}  // namespace strata::platforms
