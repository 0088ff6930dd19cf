#include "platforms/engine/netlist/binding.h"

namespace strata::platforms {
namespace {

std::optional<Expression> read_index(Scanner& scanner) {
  if (!scanner.take("[")) return std::nullopt;
  Expression expression = Expression::read(scanner);
  scanner.expect("]", "']'");
  return expression;
}

std::string read_name(Scanner& scanner, std::size_t& offset, const char* what) {
  scanner.at_end();  // skips blanks
  offset = scanner.offset();
  std::string name = scanner.name();
  if (name.empty()) scanner.fail(std::string("expected ") + what + ", found " + scanner.next_word());
  return name;
}

BindingEnd read_end(Scanner& scanner) {
  BindingEnd end;
  end.instance = read_name(scanner, end.instance_offset, "an instance name");
  end.index = read_index(scanner);
  scanner.expect(".", "'.' and a socket name");
  end.port = read_name(scanner, end.port_offset, "a socket name");
  end.socket = read_index(scanner);
  end.text = std::string(scanner.text().substr(end.instance_offset, scanner.offset() - end.instance_offset));
  while (!end.text.empty() && end.text.back() == ' ') end.text.pop_back();
  return end;
}

}  // namespace

Binding read_binding(std::string_view text) {
  Scanner scanner(text);
  Binding binding;
  binding.from = read_end(scanner);
  scanner.expect("->", "'->'");
  binding.to = read_end(scanner);
  if (scanner.take("for")) {
    do {
      BindingRange range;
      range.name = read_name(scanner, range.offset, "an index name");
      scanner.expect("in", "'in'");
      range.first = Expression::read(scanner);
      scanner.expect("..", "'..'");
      range.last = Expression::read(scanner);
      binding.ranges.push_back(std::move(range));
    } while (scanner.take(","));
  }
  if (!scanner.at_end()) scanner.fail("expected the end of the binding, found " + scanner.next_word());
  return binding;
}

std::optional<IndexRange> read_indexed_name(std::string_view text, std::string& name) {
  Scanner scanner(text);
  std::size_t offset = 0;
  name = read_name(scanner, offset, "an instance name");
  if (scanner.at_end()) return std::nullopt;
  scanner.expect("[", "'['");
  IndexRange range;
  range.first = range.last = Expression::read(scanner).text();
  if (scanner.take("..")) range.last = Expression::read(scanner).text();
  scanner.expect("]", "']'");
  if (!scanner.at_end()) scanner.fail("expected the end of the name, found " + scanner.next_word());
  return range;
}

OpenTarget::OpenTarget(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum OpenTarget::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                               sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void OpenTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool OpenTarget::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  return false;
}

unsigned OpenTarget::transport_dbg(tlm::tlm_generic_payload&) {
  return 0;
}

OpenInitiator::OpenInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum OpenInitiator::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                  sc_core::sc_time&) {
  SC_REPORT_ERROR(name(), "response to a request that was never sent");
  return tlm::TLM_COMPLETED;
}

void OpenInitiator::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace strata::platforms
