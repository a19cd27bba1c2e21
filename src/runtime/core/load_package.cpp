#include "runtime/core/load_package.h"

#include "package/package.h"

namespace ingot::runtime {
namespace {

ProgramSource source_of(package::Package opened) {
  auto owner = std::make_shared<package::Package>(std::move(opened));
  ProgramSource source;
  source.program = owner->take_program();
  for (size_t i = 0; i < owner->storage_count(); ++i) source.storages.push_back(owner->storage(i));
  source.keep_alive = std::move(owner);
  return source;
}

}  // namespace

Result<ProgramSource> read_package(const std::string& path, const std::string& weights_path) {
  package::OpenOptions options;
  options.weights_path = weights_path;
  INGOT_ASSIGN_OR_RETURN(package::Package opened, package::open_package(path, options));
  return source_of(std::move(opened));
}

Result<ProgramSource> read_package_bytes(std::span<const std::byte> file) {
  INGOT_ASSIGN_OR_RETURN(package::Package opened, package::open_package_bytes(file));
  return source_of(std::move(opened));
}

}  // namespace ingot::runtime
