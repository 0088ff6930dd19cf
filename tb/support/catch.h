#pragma once

// Catch2 3 has split headers, Catch2 2 (Debian 12) one.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
