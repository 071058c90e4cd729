import EntityRequests
import Foundation
import Synchronization

/// Work with files, on threads that may wait for a disk.
enum FileWork {
  private static let pieceSize = 1 << 18

  /// - Parameter work: Is told whether the task was cancelled.
  @concurrent static func run<T: Sendable>(
    _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> T
  ) async throws -> T {
    let cancelled = Cancelled()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
          continuation.resume(with: Result { try work { cancelled.isSet } })
        }
      }
    } onCancel: {
      cancelled.set()
    }
  }

  private final class Cancelled: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock(\.self) }
    func set() { state.withLock { $0 = true } }
  }

  /// An error with the reason of the system.
  static func failure(_ what: String) -> RequestError {
    RequestError(.invalidRequest, "\(what): \(String(cString: strerror(errno))).")
  }

  /// Opens a regular file to read it. A pipe does not hold the caller up.
  static func openFile(_ file: URL) throws -> Int32 {
    let name = file.lastPathComponent
    guard file.isFileURL else { throw RequestError(.invalidRequest, "The attached file has no URL of a file.") }
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("The file '\(name)' can't be read") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RequestError(.invalidRequest, "'\(name)' is no regular file.")
    }
    return descriptor
  }

  /// Copies the rest of a file.
  ///
  /// - Returns: The size and the digest of what was written.
  static func copy(
    _ source: Int32, to target: Int32, _ isCancelled: () -> Bool
  ) throws -> (size: Int64, digest: String) {
    // File systems that share blocks copy a file of any size at once; the bytes are then read for the digest alone.
    let isCloned = clone(source, to: target)
    return try eachPiece(of: isCloned ? target : source, isCancelled) { bytes, count in
      guard !isCloned else { return }
      try writeAll(bytes, count, to: target)
    }
  }

  static func digest(_ descriptor: Int32, _ isCancelled: () -> Bool) throws -> String {
    try eachPiece(of: descriptor, isCancelled) { _, _ in }.digest
  }

  private static func eachPiece(
    of descriptor: Int32, _ isCancelled: () -> Bool, _ take: ([UInt8], Int) throws -> Void
  ) throws -> (size: Int64, digest: String) {
    var hash = SHA256()
    var size: Int64 = 0
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      if isCancelled() { throw CancellationError() }
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("The attached file can't be read") }
      guard count > 0 else { return (size, hash.digits()) }
      hash.add(piece, count: count)
      try take(piece, count)
      size += Int64(count)
    }
  }

  private static func writeAll(_ bytes: [UInt8], _ count: Int, to target: Int32) throws {
    var written = 0
    while written < count {
      let next = bytes.withUnsafeBytes { bytes in
        write(target, bytes.baseAddress.map { $0 + written }, count - written)
      }
      if next < 0, errno == EINTR { continue }
      guard next > 0 else { throw failure("The copy of the file can't be written") }
      written += next
    }
  }

  static func piece(_ descriptor: Int32, _ range: Range<Int64>) throws -> Data {
    var data = Data(count: Int(range.upperBound - range.lowerBound))
    let total = data.count
    try data.withUnsafeMutableBytes { bytes in
      var done = 0
      while done < total {
        let next = pread(
          descriptor, bytes.baseAddress.map { $0 + done }, total - done, off_t(range.lowerBound) + off_t(done))
        if next < 0, errno == EINTR { continue }
        guard next > 0 else {
          throw next < 0
            ? failure("The attached file can't be read")
            : RequestError(.invalidRequest, "The copy of the attached file ended too early.")
        }
        done += next
      }
    }
    return data
  }

  /// Brings the names in a folder to the disk. Some file systems can't do it, and then nothing is lost but a copy without
  /// an entry.
  static func synchronizeFolder(_ folder: URL) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func clone(_ source: Int32, to target: Int32) -> Bool {
    #if os(Linux)
      // FICLONE of linux/fs.h, `_IOW(0x94, 9, int)`, which is a macro that Swift does not see.
      ioctl(target, 0x4004_9409, source) == 0
    #else
      false
    #endif
  }
}

/// The facts by which a file is known to be as it was.
struct FileStamp: Sendable, Equatable {
  let size: Int64
  private let number: UInt64
  private let seconds: [Int]

  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    #if canImport(Darwin)
      let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
    #else
      let (changed, modified) = (status.st_ctim, status.st_mtim)
    #endif
    seconds = [changed.tv_sec, Int(changed.tv_nsec), modified.tv_sec, Int(modified.tv_nsec)]
  }
}
