#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/report/compare.h"

namespace strata::cli {

int run_compare(const std::vector<std::string>& arguments) {
  Arguments a(
      "compare DIR... [--json]",
      "Shows the summaries and ledgers of results directories side by side, with the change relative to\n"
      "the first.",
      "  strata compare results/shared-matmul_512 results/private-matmul_512\n"
      "  strata compare --json results/a results/b\n");
  a.options().add_options()("json", "print a JSON object");
  if (!a.read(arguments, 1, any_number)) return 0;
  std::cout << (a.has("json") ? platforms::compare_json(a.words()) : platforms::compare_text(a.words()));
  return 0;
}

}  // namespace strata::cli
