package import Foundation

// In the class, the name is that of its own method.
private let writeBytes = write

/// A file beside the store's file, for data that is too large for memory. It has no name, so that the system deletes it
/// when its last use ends, even when the process dies.
package final class SpoolFile: Sendable {
  private let descriptor: Int32
  private let worker = Worker("EntityStore.spool")

  /// - Throws: ``StoreError`` of kind `diskFull` or `cannotOpen`.
  package init(beside file: URL?) throws {
    let folder = file?.deletingLastPathComponent() ?? FileManager.default.temporaryDirectory
    let path = folder.appending(path: ".entity-spool-\(UUID().uuidString)").path
    let handle = try NewFile.make(path, permissions: 0o600)
    // The handle closes its own descriptor.
    descriptor = dup(handle.fileDescriptor)
    unlink(path)
    guard descriptor >= 0 else { throw Self.failure("can't be opened again") }
    // Processes that this one starts do not get the file.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Appends bytes, and holds up no thread of the cooperative pool meanwhile. Calls must not overlap.
  ///
  /// - Throws: ``StoreError`` of kind `diskFull` or `ioError`.
  package func append(_ data: Data) async throws {
    do { try await worker.run { try self.write(data) } } catch { throw atCaller(error) }
  }

  private func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Self.failure("can't be written") }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The bytes from a place on, a piece of them; empty at the end.
  ///
  /// - Throws: ``StoreError`` of kind `ioError`.
  package func read(at offset: Int) throws -> Data {
    var piece = Data(count: 1 << 16)
    while true {
      let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("can't be read") }
      return piece.prefix(count)
    }
  }

  private static func failure(_ what: String) -> StoreError {
    let code = errno
    return StoreError(
      [ENOSPC, EDQUOT].contains(code) ? .diskFull : .ioError,
      "The file for a streamed response \(what): \(String(cString: strerror(code))).")
  }
}

extension StoreCore {
  /// - Throws: ``StoreError`` of kind `diskFull` or `cannotOpen`.
  package func newSpoolFile() throws -> SpoolFile { try SpoolFile(beside: location.fileURL) }
}
