#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/binding.h"
#include "platforms/engine/netlist/netlist.h"

namespace strata::platforms {

class Resolver;

/// `1 socket`, `3 sockets`.
std::string counted(int count, const std::string& what);

/// Expands binding statements into connections and counts how often every socket is bound.
class Connector {
 public:
  Connector(Resolver& resolver, ResolvedNetlist& out);
  void connect(const NetlistEntry& statement, int number);
  /// Adds faults for unbound sockets.
  void check_all_bound();

 private:
  /// Meaning of one end of a statement, as far as it is known before its indices have values.
  struct Side {
    const BindingEnd* text = nullptr;
    int group = -1;
    int port = -1;  // position in the first member's ports
    Expression index;
    Expression socket;
  };
  struct Loop {
    std::string name;
    std::int64_t first = 0;
    std::int64_t last = -1;
    std::string from;  // origin of the range, for messages
    bool is_explicit = false;
  };
  /// An expression with its names resolved to loop numbers or constants, ready for many evaluations.
  struct Bound {
    const Expression* expression = nullptr;
    std::vector<int> loops;  // per name: loop number, -1 = constant
    std::vector<std::int64_t> values;
  };

  bool find_side(const BindingEnd& end, Side& side);
  bool check_fit(const Side& from, const Side& to);
  bool add_index(const std::optional<Expression>& written, int count, const std::string& what,
                 const std::string& example, std::size_t offset, Expression& index);
  bool constant(const Expression& expression, std::int64_t& value);
  bool find_loops(const Binding& binding, const Side& from, const Side& to);
  bool add_lone(const Expression& expression, int count, const std::string& what);
  bool check_names(const Side& from, const Side& to);
  bool prepare(const Expression& expression, Bound& bound);
  void expand(const Side& from, const Side& to);
  void connect_once(const Side& from, const Side& to, std::vector<Bound>& bounds);
  bool place(const Side& side, Bound& index, Bound& socket, ResolvedEnd& end);
  void mark_bound(const ResolvedEnd& end);
  void check_bound(int group, const std::string& port);
  void excuse(const Side& side);
  void excuse_mentioned(const std::string& text);
  std::string loop_values() const;
  void fault(std::size_t offset, const std::string& message);
  const PortSpec& spec(const Side& side) const;
  std::string port_name(const Side& side) const;

  Resolver& resolver_;
  ResolvedNetlist& out_;
  const NetlistEntry* statement_ = nullptr;
  int number_ = 0;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> at_;          // value per loop
  std::vector<ResolvedConnection> made_;  // of the present statement
  bool range_fault_given_ = false;
  bool double_fault_given_ = false;
  // bound_[group][member][port][socket]: number of the statement that bound it, -1 = none
  std::vector<std::vector<std::vector<std::vector<int>>>> bound_;
  std::vector<std::vector<bool>> excused_;  // [group][port]: a faulty statement was meant to bind it
  std::vector<SourcePosition> places_;      // of the statements
};

}  // namespace strata::platforms
