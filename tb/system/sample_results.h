#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/wait.h>

#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

namespace strata::tb {

using Count = std::uint64_t;

/// What a run left in stats.json.
class Results {
 public:
  explicit Results(const std::string& file) {
    std::ifstream in(file);
    stats_ = nlohmann::json::parse(in);
  }
  const nlohmann::json& operator[](const char* key) const { return stats_.at(key); }
  Count summary(const char* name) const { return stats_.at("summary").at(name).get<Count>(); }
  /// Sum of a counter over all instances of a module.
  Count of(const char* module, const char* counter) const {
    Count sum = 0;
    for (const auto& item : stats_.at("instances").items())
      if (item.value().at("module") == module) sum += value(item.value(), counter);
    return sum;
  }
  /// Over all instances `name[i]`.
  Count named(const std::string& name, const char* counter) const {
    Count sum = 0;
    for (const auto& item : stats_.at("instances").items())
      if (item.key().compare(0, name.size() + 1, name + "[") == 0) sum += value(item.value(), counter);
    return sum;
  }

 private:
  static Count value(const nlohmann::json& instance, const char* counter) {
    return instance.at("counters").at(counter).get<Count>();
  }
  nlohmann::json stats_;
};

/// Runs the program on a sample trace: exit code 0, nothing on stderr, the digest of stats.json on stdout.
inline Results run(const std::string& platform, const std::string& trace, const std::string& options = "") {
  const TempFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string said = folder.path() + "/said";
  const std::string command = std::string("'") + STRATA_PROGRAM + "' run " + platform +
                              " --trace traces/samples/" + trace + " --quiet --out " + out + " " + options +
                              " >" + said + " 2>&1";
  INFO(command);
  const int status = std::system(command.c_str());
  std::stringstream text;
  text << std::ifstream(said).rdbuf();
  INFO(text.str());
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  Results results(out + "/stats.json");
  CHECK(text.str() == "digest: " + results["digest"].get<std::string>() + "\n");
  return results;
}

}  // namespace strata::tb
