// The compiler as one call: model in, program out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/model.h"
#include "passes/pipeline.h"
#include "program/program.h"

namespace ingot::compiler {

struct Options {
  passes::FusedAttention fused_attention = passes::FusedAttention::kAuto;
  std::string print_after;  // a pass's name, or "all"
};

// A program and the bytes of its storages, which stay mapped from the archive.
struct Compiled {
  program::Program program;
  std::vector<ir::Storage> storages;  // one per Program::storages
  std::shared_ptr<const void> keep_alive;
  std::vector<std::string> warnings;
  std::string printed;  // what print_after asked for
};

// Compiles for the CPU. Throws CompileError if the model is at fault.
Compiled compile_model(std::unique_ptr<ir::Model> model, const Options& options);

// The model of an archive, its weights' checksums verified. Throws CompileError.
Compiled compile_archive(const std::string& path, const Options& options);

}  // namespace ingot::compiler
