#include "platforms/studies/dram_requests/dram_request_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/memory_controller/replay.h"

namespace strata::platforms {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;

struct Choice {
  const char* name;
  const char* ending;
  DramRequestFormat format;
};
constexpr Choice choices[] = {
    {"strata", ".csv", DramRequestFormat::strata},
    {"ramulator2-loadstore", ".loadstore", DramRequestFormat::ramulator2_loadstore},
    {"ramulator2-readwrite", ".readwrite", DramRequestFormat::ramulator2_readwrite},
    {"dramsim3", ".dramsim3", DramRequestFormat::dramsim3},
};

std::string hexadecimal(Address address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

}  // namespace

std::vector<std::string> dram_request_formats() {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.emplace_back(choice.name);
  return names;
}

DramRequestFormat parse_dram_request_format(const std::string& name) {
  for (const Choice& choice : choices)
    if (name == choice.name) return choice.format;
  const std::vector<std::string> names = dram_request_formats();
  throw ConfigError("--dram-requests-format: '" + name + "' is no format; allowed: " + comma_list(names) +
                    suggestion(name, names));
}

std::optional<DramRequestFormat> dram_request_format_of(const std::string& file) {
  for (const Choice& choice : choices) {
    const std::size_t length = std::strlen(choice.ending);
    if (file.size() > length && file.compare(file.size() - length, length, choice.ending) == 0)
      return choice.format;
  }
  return std::nullopt;
}

DramRequestFile::DramRequestFile(std::string path, DramRequestFormat format)
    : path_(std::move(path)),
      format_(format),
      draft_(Draft::file(path_)),
      file_(draft_.path(), std::ios::binary | std::ios::trunc) {
  if (format_ == DramRequestFormat::strata) text_ = std::string(request_list_header(true)) + "\n";
}

void DramRequestFile::add(const DramRequestRow& row) {
  const auto number = [](auto value) { return std::to_string(value); };
  switch (format_) {
    case DramRequestFormat::strata:
      text_ += number(rows_) + "," + number(row.arrive) + (row.write ? ",W," : ",R,") +
               number(row.bank_group) + "," + number(row.bank) + "," + number(row.row) + "," +
               number(row.column) + "," + number(row.controller) + "," + hexadecimal(row.address) + "," +
               number(row.bytes) + "\n";
      break;
    case DramRequestFormat::ramulator2_loadstore:
      text_ += (row.write ? "ST " : "LD ") + hexadecimal(row.address) + "\n";
      break;
    case DramRequestFormat::ramulator2_readwrite:  // channel, rank, bank group, bank, row, column
      text_ += (row.write ? "W " : "R ") + number(row.controller) + ",0," + number(row.bank_group) + "," +
               number(row.bank) + "," + number(row.row) + "," + number(row.column) + "\n";
      break;
    case DramRequestFormat::dramsim3:
      text_ += hexadecimal(row.address) + (row.write ? " WRITE " : " READ ") + number(row.arrive) + "\n";
      break;
  }
  ++rows_;
  if (text_.size() >= most_text) flush();
}

void DramRequestFile::flush() {
  errno = 0;
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  if (!file_.good()) throw ConfigError("cannot write '" + path_ + "': " + std::strerror(errno));
  text_.clear();
}

void DramRequestFile::finish() {
  flush();
  file_.close();
  if (file_.fail()) throw ConfigError("cannot write '" + path_ + "': " + std::strerror(errno));
  draft_.commit(path_);
}

}  // namespace strata::platforms
