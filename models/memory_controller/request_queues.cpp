#include "models/memory_controller/request_queues.h"

namespace strata {

void RequestQueues::insert(DramRequest& request) {
  Bank& bank = banks_[request.bank];
  const std::size_t d = index(queue_of(request.write));
  request.next = nullptr;
  request.previous = bank.tail[d];
  if (bank.tail[d] == nullptr) {
    bank.head[d] = &request;
    oldest_age_[d][request.bank] = request.accepted;
  } else {
    bank.tail[d]->next = &request;
  }
  bank.tail[d] = &request;
  waiting_[d] |= bit(request.bank);
  ++size_[d];
  if (bank.hit[d] == nullptr && bank.row == request.row) {
    bank.hit[d] = &request;
    hits_[d] |= bit(request.bank);
  }
}

void RequestQueues::set_hit(Bank& bank, int bank_index, std::size_t direction, DramRequest* from) {
  while (from != nullptr && from->row != bank.row) from = from->next;
  bank.hit[direction] = from;
  if (from != nullptr) {
    hits_[direction] |= bit(bank_index);
  } else {
    hits_[direction] &= ~bit(bank_index);
  }
}

void RequestQueues::remove(DramRequest& request) {
  Bank& bank = banks_[request.bank];
  const std::size_t d = index(queue_of(request.write));
  if (request.previous == nullptr) {
    bank.head[d] = request.next;
    if (request.next != nullptr) oldest_age_[d][request.bank] = request.next->accepted;
  } else {
    request.previous->next = request.next;
  }
  (request.next == nullptr ? bank.tail[d] : request.next->previous) = request.previous;
  if (bank.head[d] == nullptr) waiting_[d] &= ~bit(request.bank);
  --size_[d];
  if (bank.hit[d] == &request) set_hit(bank, request.bank, d, request.next);
}

void RequestQueues::activate(DramRequest& request) {
  remove(request);
  banks_[request.bank].active = &request;
  active_ |= bit(request.bank);
  open(request.bank, request.row);
}

void RequestQueues::open(int bank, std::int64_t row) {
  Bank& state = banks_[static_cast<std::size_t>(bank)];
  state.row = row;
  state.columns = 0;
  open_ |= bit(bank);
  set_hit(state, bank, read, state.head[read]);
  set_hit(state, bank, write, state.head[write]);
}

void RequestQueues::precharge(int bank) {
  Bank& state = banks_[static_cast<std::size_t>(bank)];
  state.row = -1;
  state.hit = {};
  open_ &= ~bit(bank);
  hits_[read] &= ~bit(bank);
  hits_[write] &= ~bit(bank);
}

void RequestQueues::finish_active(int bank) {
  banks_[static_cast<std::size_t>(bank)].active = nullptr;
  active_ &= ~bit(bank);
}

const DramRequest* RequestQueues::find_write(const DramRequest& read_request) const {
  const Bank& bank = at(read_request.bank);
  if (bank.active != nullptr && bank.active->write && bank.active->row == read_request.row &&
      bank.active->column == read_request.column)
    return bank.active;
  for (const DramRequest* w = bank.tail[index(queue_of(true))]; w != nullptr; w = w->previous)
    if (w->write && w->row == read_request.row && w->column == read_request.column) return w;
  return nullptr;
}

}  // namespace strata
