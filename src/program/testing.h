// A small program with one of everything, for the tests of all libraries that read programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace ingot::program {

// Valid. Kernels of every kind, symbols, a burned-in input, state, a derived buffer, every kind of
// step and output. Its storages have sizes but neither offsets nor checksums.
Program make_test_program();

// Bytes for its storages, all different.
std::vector<std::vector<std::byte>> make_test_storages(const Program& program);

// Does with bytes of any origin what a reader of packages may do: decode, validate, print, prove.
// Gives "" or the promise that was broken.
std::string exercise_encoded(std::span<const std::byte> bytes);

}  // namespace ingot::program
