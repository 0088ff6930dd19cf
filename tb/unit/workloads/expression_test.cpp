#include "traces/workloads/expression.h"

#include "tb/support/catch.h"

using namespace strata::traces;

namespace {

const ValueTable values = {{"n", 100}, {"rows", 7}};

std::string fault_of(const std::string& text) {
  try {
    evaluate(text, values);
  } catch (const ExpressionFault& fault) {
    return std::to_string(fault.offset) + ": " + fault.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("expressions follow C's precedence and rounding") {
  CHECK(evaluate("1 + 2 * 3", values) == 7);
  CHECK(evaluate("(1 + 2) * 3", values) == 9);
  CHECK(evaluate("n / rows * rows + n % rows", values) == 100);
  CHECK(evaluate("-7 / 2", values) == -3);
  CHECK(evaluate("1 << 4 + 1", values) == 32);
  CHECK(evaluate("n > 99 ? rows : 0", values) == 7);
  CHECK(evaluate("n == 99 ? 1 : n != 100 ? 2 : 3", values) == 3);
  CHECK(evaluate("ceil_div(n, 32)", values) == 4);
  CHECK(evaluate("min(n, rows) + max(n, rows)", values) == 107);
  CHECK(evaluate("log2(1) + log2(2) + log2(1000)", values) == 11);  // 0 + 1 + 10
  CHECK(evaluate("1000000 * 1000000", values) == 1000000000000);
}

TEST_CASE("a bad expression is refused at its place") {
  CHECK(fault_of("n * row") == "4: no value 'row' (did you mean 'rows'?)");
  CHECK(fault_of("n *") == "3: a number or a name is missing");
  CHECK(fault_of("n / (rows - 7)") == "14: divides by zero");
  CHECK(fault_of("n n") == "2: unexpected 'n'");
  CHECK(fault_of("(n") == "2: expected ')'");
  CHECK(fault_of("9223372036854775807 + 1") == "23: is too large for 64 bits");
  CHECK(fault_of("ceildiv(n, 2)") == "0: no function 'ceildiv' of 2 values (did you mean 'ceil_div'?)");
  CHECK(fault_of("ceil_div(n, 0)") == "14: ceil_div needs a divisor above 0");
  CHECK(fault_of("1.5 * n") == "1: whole numbers only here");
  CHECK(fault_of(std::string(100, '(')) == "64: nested too deeply");
  CHECK(fault_of(std::string(100, '-')) == "64: nested too deeply");
}
