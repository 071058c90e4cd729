package import Foundation

/// A body of pieces in memory and files on disk, whose length is known and whose bytes are read when they are sent.
struct BodyContent: Sendable {
  enum Segment: Sendable {
    case data(Data)
    case file(URL, length: Int64)
  }

  private(set) var segments: [Segment] = []
  private(set) var length: Int64 = 0

  mutating func append(_ data: Data) {
    length += Int64(data.count)
    segments.append(.data(data))
  }

  /// - Throws: ``BodyFileError`` when there is no such file to read.
  mutating func append(contentsOf file: URL) throws {
    let size = try Self.length(of: file)
    length += size
    segments.append(.file(file, length: size))
  }

  /// The whole body, if it is in memory; `nil` if a part of it is in a file.
  var data: Data? {
    switch segments.count {
    case 0: Data()
    case 1: if case .data(let data) = segments[0] { data } else { nil }
    default: nil
    }
  }

  /// The bytes in memory, without the bytes of files.
  var visible: Data {
    segments.reduce(into: Data()) {
      if case .data(let data) = $1 { $0.append(data) }
    }
  }

  var body: RequestBody {
    if let data { return .data(data) }
    if segments.count == 1, case .file(let url, _) = segments[0] { return .file(url) }
    return .stream(stream)
  }

  /// The bytes as a stream that can be opened again. Files are read on a queue of their own.
  var stream: RequestBodyStream {
    RequestBodyStream(length: length, isReplayable: true) {
      let reads = BlockingReads(BodyReader(self))
      return { try await reads.next() }
    }
  }

  /// The size of a regular file that can be read.
  private static func length(of url: URL) throws -> Int64 {
    guard url.isFileURL else { throw BodyFileError(message: "The body's file is not a file URL.") }
    let name = url.lastPathComponent
    // A new URL, because a URL keeps resource values that it read before. Links are resolved, because the file behind
    // them is read.
    let file = URL(fileURLWithPath: url.path).resolvingSymlinksInPath()
    guard let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    else { throw BodyFileError(message: "The body's file \(name) cannot be read.") }
    guard values.isRegularFile == true, let size = values.fileSize,
      FileManager.default.isReadableFile(atPath: url.path)
    else { throw BodyFileError(message: "The body's file \(name) is not a readable regular file.") }
    return Int64(size)
  }
}

struct BodyFileError: Error {
  let message: String
}

extension RequestBodyStream {
  /// The content of a file, with its present length.
  ///
  /// - Throws: ``TransportError`` of kind `invalidRequest` when there is no such file to read.
  package init(contentsOf url: URL) throws {
    var content = BodyContent()
    do {
      try content.append(contentsOf: url)
    } catch let error as BodyFileError {
      throw TransportError(.invalidRequest, error.message, mayHaveBeenProcessed: false)
    }
    self = content.stream
  }
}

/// Reads a body from its first byte to its last, at most 128 KiB at a time.
final class BodyReader: BlockingSource {
  private static let pieceSize = 128 << 10

  private var rest: ArraySlice<BodyContent.Segment>
  private var file: (handle: FileHandle, left: Int64)?

  init(_ content: BodyContent) { rest = content.segments[...] }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: ``TransportError`` of kind `sending` when a file can't be read, or its length has changed.
  func next() throws -> Data? {
    while let segment = rest.first {
      switch segment {
      case .data(let data):
        rest.removeFirst()
        if !data.isEmpty { return data }
      case .file(let url, let length):
        if let piece = try next(of: url, length) { return piece }
        file = nil
        rest.removeFirst()
      }
    }
    return nil
  }

  private func next(of url: URL, _ length: Int64) throws -> Data? {
    if file == nil {
      guard let handle = try? FileHandle(forReadingFrom: url) else { throw failure(url, "could not be opened") }
      file = (handle, length)
    }
    guard let (handle, left) = file else { return nil }
    let piece: Data
    do {
      // Asks for one byte too many at the end, to see a file that has grown.
      piece = try handle.read(upToCount: Int(min(left + 1, Int64(Self.pieceSize)))) ?? Data()
    } catch {
      throw failure(url, "could not be read to its end")
    }
    guard piece.count <= left else { throw failure(url, "has grown while it was sent: it had \(length) bytes") }
    guard !piece.isEmpty else {
      guard left == 0 else { throw failure(url, "ended after \(length - left) of \(length) bytes") }
      return nil
    }
    file?.left -= Int64(piece.count)
    return piece
  }

  private func failure(_ url: URL, _ what: String) -> TransportError {
    TransportError(.sending, "The body's file \(url.lastPathComponent) \(what).", mayHaveBeenProcessed: true)
  }
}
