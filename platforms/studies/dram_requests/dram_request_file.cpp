#include "platforms/studies/dram_requests/dram_request_file.h"

#include <algorithm>
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

/// Watches one binding of a memory controller.
class DramRequestRecorder::Binding final : public CallWatchIf {
 public:
  Binding(DramRequestRecorder& recorder, const MemoryController& controller, CallWatchIf* other)
      : recorder_(recorder), controller_(controller), other_(other) {}

  const MemoryController& controller() const { return controller_; }
  void set_number(int number) { number_ = number; }

  void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                   bool forward) override {
    if (other_ != nullptr) other_->call_begins(payload, phase, delay, forward);
    if (!forward || phase != tlm::BEGIN_REQ) return;
    if (const Txn* const txn = Txn::from(payload))
      recorder_.request(controller_, number_, txn->access(), controller_.clock().arrival(delay));
  }
  void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) override {
    if (other_ != nullptr) other_->call_ends(payload, sent, result, phase, delay, forward);
  }

 private:
  DramRequestRecorder& recorder_;
  const MemoryController& controller_;
  CallWatchIf* const other_;
  int number_ = 0;
};

DramRequestRecorder::DramRequestRecorder(const std::string& path, DramRequestFormat format)
    : file_(path, format) {}

DramRequestRecorder::~DramRequestRecorder() = default;

CallWatchIf* DramRequestRecorder::watch(const PortBase& to, CallWatchIf* other) {
  const auto* controller = dynamic_cast<const MemoryController*>(&to.owner());
  if (controller == nullptr) return other;
  bindings_.push_back(std::make_unique<Binding>(*this, *controller, other));
  return bindings_.back().get();
}

void DramRequestRecorder::attach(const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances())
    if (const auto* controller = dynamic_cast<const MemoryController*>(instance.block))
      controllers_.push_back(controller);
  if (controllers_.empty())
    throw ConfigError("--dram-requests: the platform has no memory_controller to get requests");
  for (const auto& binding : bindings_)
    binding->set_number(static_cast<int>(
        std::find(controllers_.begin(), controllers_.end(), &binding->controller()) - controllers_.begin()));
}

void DramRequestRecorder::request(const MemoryController& controller, int number, const Access& access,
                                  Cycle arrive) {
  const Cycle now = controller.clock().now();
  if (now > 0) write_until(now - 1);
  DramRequestRow row;
  row.arrive = arrive;
  row.controller = number;
  row.write = is_write(access.access_class);
  add_bursts(controller, row, access);
  if (access.access_class != AccessClass::atomic) return;
  row.write = true;
  add_bursts(controller, row, access);
}

void DramRequestRecorder::add_bursts(const MemoryController& controller, DramRequestRow row,
                                     const Access& access) {
  const MemoryControllerParams& params = controller.params();
  const LineBursts& bursts = controller.core().line_bursts();
  const DramLocation place = controller.location_of(access);
  const std::uint8_t sectors = bursts.sectors_in(access);
  const Address line = access.line & ~(params.line.count - 1);
  row.bank_group = place.bank / params.timing.banks_per_group;
  row.bank = place.bank % params.timing.banks_per_group;
  row.row = place.row;
  row.bytes = static_cast<unsigned>(params.timing.bytes_per_CAS);
  for (int i = 0; i < bursts.count(sectors); ++i) {
    const int column = bursts.column(sectors, i);
    row.column = place.column + column;
    row.address = line + static_cast<Address>(column) * row.bytes;
    waiting_.push({row, order_++});
  }
}

void DramRequestRecorder::write_until(Cycle cycle) {
  for (; !waiting_.empty() && waiting_.top().row.arrive <= cycle; waiting_.pop())
    file_.add(waiting_.top().row);
}

void DramRequestRecorder::finish() {
  write_until(never);
  file_.finish();
}

}  // namespace strata::platforms
