// The way back of an access: entries are popped in the order opposite to that of their pushing.
#include "models/common/access.h"

#include <stdexcept>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("the way back of 64 hops comes in opposite order, a 65th is refused") {
  Access access;
  for (int hop = 0; hop < max_hops; ++hop) access.push_route(1000 + hop);
  CHECK_THROWS_AS(access.push_route(0), std::length_error);
  for (int hop = max_hops; hop-- > 0;) CHECK(access.pop_route() == 1000 + hop);
  CHECK(access.depth == 0);
}

TEST_CASE("a way that grows and shrinks around the entries near at hand keeps them") {
  Access access;
  for (int hop = 0; hop < near_hops; ++hop) access.push_route(hop);
  access.push_route(77);
  CHECK(access.pop_route() == 77);
  CHECK(access.pop_route() == near_hops - 1);
  access.push_route(88);
  access.push_route(99);
  CHECK(access.pop_route() == 99);
  CHECK(access.pop_route() == 88);
  CHECK(access.pop_route() == near_hops - 2);
}
