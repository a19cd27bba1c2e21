// A file mapped read-only into memory, so that gigabytes of weights cost no memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/status.h"

namespace ingot {

// Owns the mapping; the bytes are valid until destruction. Moving keeps them where they are. A file
// that another process truncates meanwhile ends the reading process with SIGBUS, as with any
// mapping.
class FileMap {
 public:
  FileMap() = default;
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  ~FileMap();

  // kFileUnreadable, naming the file, if it is missing, unreadable or not a regular file. A file
  // without bytes maps to an empty span.
  static Result<FileMap> open(const std::string& path);

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Tells the kernel that a part of bytes() is not needed soon: its pages leave this process and
  // are read again on the next access.
  void release_pages(std::span<const std::byte> part) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ingot
