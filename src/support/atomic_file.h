// A file that appears under its name whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/status.h"

namespace ingot {

// Bytes go to a temporary file in the same folder, which `commit` renames; without it the
// destructor removes it. Nothing is flushed to the disk: after a power failure the file may be
// short, and its readers must notice. Errors are kFileUnwritable and name the file.
class AtomicFile {
 public:
  // Refuses a path that is there and is not a regular file. A symbolic link is followed.
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // Appends; the bytes are not copied first, so they may be a mapped file of any size.
  Status append(std::span<const std::byte> bytes);
  // Replaces bytes that were appended before.
  Status write_at(uint64_t offset, std::span<const std::byte> bytes);
  uint64_t size() const { return size_; }
  Status commit();

 private:
  AtomicFile(std::string path, std::string temporary, int fd);
  Status fail(int error) const;

  std::string path_;
  std::string temporary_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// Writes a whole file.
Status write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace ingot
