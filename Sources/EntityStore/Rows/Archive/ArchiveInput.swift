import Foundation

/// An archive to be read.
enum ArchiveSource: Sendable {
  case data(Data)
  case file(URL)

  /// Reads the archive from its first line to its last one, as far as it can be checked without a store.
  ///
  /// - Throws: ``StoreError`` of kind `notAnArchive`, `newerArchive`, `damagedArchive` or `cannotOpen`.
  @concurrent func check() async throws {
    try read { _, _ in }
  }

  /// Hands each line between the first and the last one to `body`.
  func read(_ body: (ArchiveHeader, Data) throws -> Void) throws {
    var input = try ArchiveInput(self)
    let header = try ArchiveHeader(input.line())
    while let line = try input.line() {
      if input.lines % 256 == 0 { try Task.checkCancellation() }
      if try input.isEnd(line) { return }
      try body(header, line)
    }
    throw StoreError.damagedArchive("its end is missing")
  }
}

/// The lines of an archive, one after the other.
struct ArchiveInput {
  private let handle: FileHandle?
  private var buffer: Data
  private var checksum = ArchiveChecksum()
  /// The checksum of all lines before the last one that was read.
  private var before: UInt32 = 0
  /// How many lines were read.
  private(set) var lines = 0

  private static let step = 1 << 18

  init(_ source: ArchiveSource) throws {
    switch source {
    case .data(let data): (handle, buffer) = (nil, data)
    case .file(let url):
      guard url.isFileURL else {
        throw StoreError(.invalidLocation, "An archive is read from a file, and the URL is that of none.")
      }
      handle = try ArchiveFile.told { try FileHandle(forReadingFrom: url) }
      buffer = Data()
    }
  }

  /// The next line without its line feed; `nil` where the archive has no further line.
  mutating func line() throws -> Data? {
    var searched = 0
    while true {
      if let end = buffer[(buffer.startIndex + searched)...].firstIndex(of: 0x0A) {
        let line = buffer[..<end]
        before = checksum.value
        checksum.add(buffer[...end])
        buffer = buffer[(end + 1)...]
        lines += 1
        return line
      }
      searched = buffer.count
      // The first line of an archive is short. A file that is no archive may have no line feed at all.
      guard lines > 0 || searched <= Self.step else { return nil }
      guard let handle, let more = try ArchiveFile.told({ try handle.read(upToCount: Self.step) }), !more.isEmpty else {
        return nil
      }
      if buffer.startIndex > 0 { buffer = Data(buffer) }
      buffer.append(more)
    }
  }

  /// Whether a line that was just read is the last one.
  ///
  /// - Throws: ``StoreError`` of kind `damagedArchive` where the last line contradicts the lines before it.
  mutating func isEnd(_ line: Data) throws -> Bool {
    guard ArchiveEnd.begins(line) else { return false }
    let expected = ArchiveEnd.line(lines - 2, before).dropLast()
    guard line.elementsEqual(expected) else { throw StoreError.damagedArchive("it is not as it was written") }
    guard try self.line() == nil, buffer.isEmpty else {
      throw StoreError.damagedArchive("something stands behind its end")
    }
    return true
  }
}
