#include "cli/model_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "compiler/compile.h"
#include "package/header.h"
#include "runtime/api/open_device.h"
#include "runtime/core/load_package.h"
#include "support/diagnostics.h"
#include "support/file_map.h"

namespace ingot::cli {
namespace {

runtime::ProgramSource compile_in_memory(const std::string& path) {
  show_progress("compiling " + path);
  compiler::Compiled compiled = compiler::compile_archive(path, {});
  for (const std::string& warning : compiled.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  runtime::ProgramSource source;
  source.program = std::move(compiled.program);
  for (const ir::Storage& storage : compiled.storages) {
    source.storages.emplace_back(storage.data, storage.bytes);
  }
  source.keep_alive = std::move(compiled.keep_alive);
  // The compiler has compared the weights with the archive's CRCs.
  source.verify_checksums = false;
  return source;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  const FileMap file = value_or_throw(FileMap::open(path));
  if (package::is_package(file.bytes())) return FileKind::kPackage;
  return path.ends_with(".ingot") ? FileKind::kPackage : FileKind::kArchive;
}

runtime::ProgramSource open_program(const std::string& path) {
  if (kind_of_file(path) == FileKind::kArchive) return compile_in_memory(path);
  return value_or_throw(runtime::read_package(path));
}

std::shared_ptr<runtime::Device> open_device(const std::string& name) {
  if (!name.empty()) return value_or_throw(runtime::open_device(name));
  Result<std::shared_ptr<runtime::Device>> gpu = runtime::open_device("cuda");
  if (gpu.ok()) {
    fmt::print(stderr, "note: running on {}, the first usable GPU\n", (*gpu)->description());
    return std::move(gpu).value();
  }
  auto cpu = value_or_throw(runtime::open_device("cpu"));
  fmt::print(stderr, "note: running on {}: {}\n", cpu->description(), gpu.status().message());
  return cpu;
}

std::shared_ptr<runtime::LoadedProgram> load_model(const std::string& path,
                                                   const std::string& device) {
  std::shared_ptr<runtime::Device> chosen = open_device(device);
  return value_or_throw(runtime::LoadedProgram::load(std::move(chosen), open_program(path)));
}

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{}…\n", text);
}

}  // namespace ingot::cli
