#include "models/common/named.h"

#include "tb/support/catch.h"

using namespace strata;

namespace {

enum class Fruit { apple, pear, plum };
constexpr Named<Fruit> fruits[] = {{Fruit::pear, "pear"}, {Fruit::plum, "plum"}, {Fruit::apple, "apple"}};
static_assert(names_all(fruits, Fruit::plum), "in any order");

constexpr Named<Fruit> no_plum[] = {{Fruit::pear, "pear"}, {Fruit::apple, "apple"}};
static_assert(!names_all(no_plum, Fruit::plum), "a value without a name");
constexpr Named<Fruit> two_pears[] = {{Fruit::pear, "pear"}, {Fruit::pear, "pair"}, {Fruit::apple, "apple"}};
static_assert(!names_all(two_pears, Fruit::plum), "a value with two names");
constexpr Named<Fruit> one_name[] = {{Fruit::pear, "pear"}, {Fruit::plum, "pear"}, {Fruit::apple, "apple"}};
static_assert(!names_all(one_name, Fruit::plum), "a name of two values");

}  // namespace

TEST_CASE("a table of names finds values by name and names by value") {
  CHECK(find_named(fruits, "plum")->value == Fruit::plum);
  CHECK(find_named(fruits, "plumb") == nullptr);
  CHECK(row_of_value(fruits, Fruit::apple).name == "apple");
  CHECK(list_of(fruits) == "pear, plum, apple");
  CHECK(names_of(fruits) == std::vector<std::string>{"pear", "plum", "apple"});
}
