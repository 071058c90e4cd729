internal import AdapterDecorators
internal import EntityRequests
internal import Foundation

/// A request's body in the form in which `URLSession` sends it: data, or a file.
///
/// `URLSession` on Linux reads a stream on the one queue that all sessions share: a stream that waits would hold up all
/// transfers of the process. So a stream is read to its end before the request is sent.
enum SessionPayload: Sendable {
  case none
  case data(Data)
  case file(URL, length: Int64)
  /// A file that is deleted after its last use.
  case temporary(TemporaryFile, length: Int64)

  /// - Throws: `TransportError` of kind `invalidRequest` for a file that can't be read, of kind `sending` for a stream that
  ///   fails.
  init(_ body: RequestBody, _ configuration: URLSessionAdapter.Configuration) async throws {
    switch body {
    case .none: self = .none
    case .data(let data): self = .data(data)
    case .file(let url):
      let length = try RequestBodyStream(contentsOf: url).length ?? 0
      self = length == 0 ? .data(Data()) : .file(url, length: length)
    case .stream(let stream):
      var collected = CollectedBody(limit: configuration.maximumCollectedBytes)
      try await collected.read(stream)
      self = try collected.payload()
    }
  }

  /// The number of bytes.
  var length: Int64 {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file(_, let length), .temporary(_, let length): length
    }
  }
}

/// A file that is deleted when the value is dropped.
final class TemporaryFile: Sendable {
  let url: URL

  /// An empty file that only its owner may read.
  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "EntityClient-body-\(UUID().uuidString)")
    let isMade = FileManager.default.createFile(
      atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
    guard isMade else { throw sending("The request's body could not be written to a temporary file.") }
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// The bytes of a stream: in memory up to a limit, and beyond it in a file.
private struct CollectedBody {
  let limit: Int
  private var data = Data()
  private var total: Int64 = 0
  private var file: (TemporaryFile, FileHandle)?

  init(limit: Int) { self.limit = limit }

  mutating func read(_ stream: RequestBodyStream) async throws {
    try stream.checkLength()
    do {
      let next = try stream.open()
      while let piece = try await next() {
        try Task.checkCancellation()
        total += Int64(piece.count)
        if let length = stream.length, total > length {
          throw TransportError.bodyTooLong(length, mayHaveBeenProcessed: false)
        }
        try add(piece)
      }
    } catch let error as TransportError {
      try Task.checkCancellation()
      throw TransportError(error.kind, error.message, code: error.code, mayHaveBeenProcessed: false)
    } catch {
      try Task.checkCancellation()
      throw TransportError.bodyUnreadable(error, mayHaveBeenProcessed: false)
    }
    if let length = stream.length, total < length {
      throw TransportError.bodyTooShort(total, of: length, mayHaveBeenProcessed: false)
    }
  }

  private mutating func add(_ piece: Data) throws {
    data.append(piece)
    guard data.count > limit else { return }
    do {
      if file == nil {
        let made = try TemporaryFile()
        file = (made, try FileHandle(forWritingTo: made.url))
      }
      try file?.1.write(contentsOf: data)
    } catch {
      throw sending("The request's body could not be written to a temporary file.")
    }
    data = Data()
  }

  mutating func payload() throws -> SessionPayload {
    guard let (file, handle) = file else { return .data(data) }
    do {
      try handle.write(contentsOf: data)
      try handle.close()
    } catch {
      throw sending("The request's body could not be written to a temporary file.")
    }
    return .temporary(file, length: total)
  }
}

/// The error of a request's body that failed on this side, before anything was sent.
private func sending(_ message: String) -> TransportError {
  .sending(message, mayHaveBeenProcessed: false)
}
