#include "platforms/engine/application/device_table.h"

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "models/io/yaml_file.h"
#include "platforms/engine/netlist/data_folders.h"

namespace strata::platforms {
namespace {

using cuda::DeviceDescription;

enum class Unit : std::uint8_t { count, bytes, kilohertz, version };
struct Key {
  const char* name;
  Unit unit;
  int DeviceDescription::*member;
};
using D = DeviceDescription;
constexpr Key keys[] = {{"capability", Unit::version, &D::capability},
                        {"sms", Unit::count, &D::sms},
                        {"clock", Unit::kilohertz, &D::clock_khz},
                        {"memory_clock", Unit::kilohertz, &D::memory_clock_khz},
                        {"bus_bits", Unit::count, &D::bus_bits},
                        {"l2", Unit::bytes, &D::l2_bytes},
                        {"threads_per_sm", Unit::count, &D::threads_per_sm},
                        {"blocks_per_sm", Unit::count, &D::blocks_per_sm},
                        {"registers_per_sm", Unit::count, &D::registers_per_sm},
                        {"shared_per_sm", Unit::bytes, &D::shared_per_sm},
                        {"shared_per_block", Unit::bytes, &D::shared_per_block},
                        {"reserved_shared", Unit::bytes, &D::reserved_shared},
                        {"copy_engines", Unit::count, &D::copy_engines}};

/// Returns false if the text is not a value of this unit.
bool read(const std::string& text, Unit unit, std::int64_t& value) {
  if (unit == Unit::bytes) {
    const auto bytes = parse_bytes(text);
    value = bytes ? static_cast<std::int64_t>(bytes->count) : -1;
  } else if (unit == Unit::kilohertz) {
    const auto hertz = parse_hertz(text);
    value = hertz ? static_cast<std::int64_t>(hertz->count / 1000) : -1;
  } else if (unit == Unit::version) {
    const auto real = parse_real(text);
    value = real ? static_cast<std::int64_t>(*real * 10 + 0.5) : -1;
  } else {
    value = parse_integer(text).value_or(-1);
  }
  return value >= 0;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}
  DeviceDescription run(const YAML::Node& map) {
    for (const auto& entry : map) {
      const auto key = entry.first.as<std::string>();
      const std::string value = entry.second.IsScalar() ? entry.second.as<std::string>() : std::string();
      const int line = entry.first.Mark().line + 1;
      if (key == "name")
        device_.name = value;
      else
        set(key, value, line);
    }
    return device_;
  }

 private:
  void set(const std::string& key, const std::string& value, int line) {
    std::int64_t number = 0;
    std::vector<std::string> names = {"name", "memory"};
    if (key == "memory") {
      if (!read(value, Unit::bytes, number) || number == 0)
        fail(line, key + ": expected a size such as 16 GiB");
      device_.memory = static_cast<std::uint64_t>(number);
      return;
    }
    for (const Key& known : keys) {
      names.emplace_back(known.name);
      if (key != known.name) continue;
      if (!read(value, known.unit, number) || number > 2147483647)
        fail(line, key + ": expected " + forms[static_cast<int>(known.unit)] + ", found '" + value + "'");
      device_.*known.member = static_cast<int>(number);
      return;
    }
    fail(line, "no key '" + key + "'" + suggestion(key, names));
  }
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw ConfigError(Faults{{{file_, line, 0}, what}});
  }

  static constexpr const char* forms[] = {"a whole number", "a size such as 40 MiB",
                                          "a frequency such as 1410 MHz", "a compute capability such as 8.0"};
  std::string file_;
  DeviceDescription device_;
};

YAML::Node load(const std::string& file) {
  try {
    const auto documents = load_yaml(read_input(file));
    if (documents.size() == 1 && documents.front().IsMap()) return documents.front();
    throw ConfigError(Faults{{{file, 0, 0}, "expected devices by name"}});
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{file, 0, 0}, std::string("cannot be read: ") + error.what()}});
  } catch (const YAML::Exception& error) {
    throw ConfigError(Faults{{{file, error.mark.line + 1, error.mark.column + 1}, error.msg}});
  }
}

}  // namespace

DeviceDescription find_device(const std::string& name) {
  std::string file, wanted = name;
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos) {
    file = name.substr(0, colon);
    wanted = name.substr(colon + 1);
  } else {
    const auto folders = data_folders("devices", "");
    if (folders.empty()) throw ConfigError("--device: the shipped table of devices is missing");
    file = folders.front() + "/devices.yaml";
  }
  const YAML::Node devices = load(file);
  std::vector<std::string> names;
  for (const auto& entry : devices) {
    names.push_back(entry.first.as<std::string>());
    if (names.back() == wanted) return Reader(file).run(entry.second);
  }
  throw ConfigError("--device: no '" + wanted + "' in " + file + suggestion(wanted, names) + "; there are " +
                    comma_list(names));
}

}  // namespace strata::platforms
