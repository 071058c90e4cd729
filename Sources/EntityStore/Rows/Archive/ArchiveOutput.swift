import EntityJSON
import Foundation

/// Where the lines of an archive go: into memory, or in steps into a file.
struct ArchiveOutput {
  private let file: ArchiveFile?
  private var bytes: [UInt8] = []
  private var checksum = ArchiveChecksum()
  private var lines = 0

  /// How many bytes are kept before they go into the file.
  private static let step = 1 << 18

  init(_ file: ArchiveFile?) { self.file = file }

  /// The archive, where it is in memory.
  var data: Data { Data(bytes) }

  mutating func line(_ value: JSONValue) throws {
    var writer = JSONWriter(format: .compact)
    writer.source(value.source)
    try line(writer)
  }

  mutating func line(_ writer: JSONWriter) throws {
    let line = writer.bytes + [0x0A]
    checksum.add(line)
    lines += 1
    try write(line)
  }

  /// Writes the last line.
  mutating func endLine() throws {
    try write(ArchiveEnd.line(lines - 1, checksum.value))
    try flush()
  }

  private mutating func write(_ line: [UInt8]) throws {
    bytes += line
    if file != nil, bytes.count >= Self.step { try flush() }
  }

  private mutating func flush() throws {
    guard let file else { return }
    try file.append(Data(bytes))
    bytes.removeAll(keepingCapacity: true)
  }

  /// The archive is whole.
  func end() throws { try file?.replace() }

  /// Nothing of the archive stays.
  func abandon() { file?.remove() }
}

/// A file that is moved to its place when it is complete.
final class ArchiveFile {
  private let url: URL
  private let part: URL
  private let handle: FileHandle

  /// - Parameter permissions: `nil` leaves them to the system.
  /// - Throws: ``StoreError``.
  init(_ url: URL, permissions: Int?) throws {
    guard url.isFileURL else {
      throw StoreError(.invalidLocation, "An archive is written into a file, and the URL is that of none.")
    }
    self.url = url
    // In the same folder: within one file system the move is one step.
    let part = url.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).archive")
    self.part = part
    handle = try NewFile.make(part.path, permissions: permissions)
  }

  func append(_ data: Data) throws { try Self.told { try handle.write(contentsOf: data) } }

  func replace() throws {
    try Self.told {
      try NewFile.synchronize(handle)
      try handle.close()
      let isMoved = part.withUnsafeFileSystemRepresentation { part in
        url.withUnsafeFileSystemRepresentation { url in
          guard let part, let url else { return false }
          return rename(part, url) == 0
        }
      }
      guard isMoved else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
    NewFile.synchronizeFolder(of: url)
  }

  func remove() {
    try? handle.close()
    unlink(part.path)
  }

  /// Runs `body`, and turns its errors into errors of a store.
  static func told<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      let reason = error as NSError
      let underlying = reason.userInfo[NSUnderlyingErrorKey] as? NSError
      let codes = [reason, underlying].compactMap { $0.map { ($0.domain, $0.code) } }
      let isFull = codes.contains {
        $0 == (NSCocoaErrorDomain, CocoaError.fileWriteOutOfSpace.rawValue) || $0 == (NSPOSIXErrorDomain, Int(ENOSPC))
      }
      var told =
        isFull
        ? StoreError(.diskFull, "There is no space for the archive.")
        : StoreError(
          .cannotOpen, "The file of the archive can't be opened, read or written: \(reason.domain) \(reason.code).")
      told.underlying = error
      throw told
    }
  }
}
