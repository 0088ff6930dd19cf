#include "platforms/studies/energy/constants_files.h"

#include "models/power/dram_power.h"
#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "models/power/technology.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;

TEST_CASE("The constants that Strata comes with are all that the models ask for") {
  const power::Constants table = load_constants();
  power::RouterModel{table};
  power::LinkModel{table};
  power::SramModel{table};
  for (const char* family : {"gddr5", "gddr6", "hbm", "hbm2"})
    CHECK(power::dram_power(table, family, 2048).activate.nominal > 0);
  CHECK(power::Technology{0.8, 350, 32}.leakage(table).nominal > 1);
  for (const auto& [name, row] : table.rows()) {
    INFO(name);
    CHECK_FALSE(row.source.empty());
  }
}

TEST_CASE("A file of a user's takes the place of rows, in their unit") {
  const tb::TempFolder folder;
  const std::string better = folder.write(
      "mine.yaml", "sm.thread: {value: [1, 2, 3], unit: pJ, source: mine, obtained: measured}\n");
  CHECK(load_constants({better}).value("sm.thread").nominal == 2);
  const std::string wrong =
      folder.write("mine.yaml", "sm.thread: {value: 2, unit: nJ, source: mine, obtained: measured}\n");
  CHECK_THROWS_WITH(load_constants({wrong}), tb::has_text("is in nJ; the model takes it in pJ"));
  const std::string unknown =
      folder.write("mine.yaml", "sm.threads: {value: 2, unit: pJ, source: mine, obtained: measured}\n");
  CHECK_THROWS_WITH(load_constants({unknown}), tb::has_text("did you mean 'sm.thread'?"));
  CHECK_THROWS_WITH(load_constants({unknown}), tb::has_text("mine.yaml:1:"));
  for (const char* row : {"sm.thread", "module.x.hits"}) {
    const std::string less = folder.write(
        "mine.yaml", std::string(row) + ": {value: -2, unit: pJ, source: mine, obtained: measured}\n");
    CHECK_THROWS_WITH(load_constants({less}), tb::has_text("is negative; nothing gives energy or area back"));
  }
  CHECK_THROWS_WITH(load_constants({"no-such-file.yaml"}), tb::has_text("cannot read the constants"));
}
