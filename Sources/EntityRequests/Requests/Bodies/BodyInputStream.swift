import Foundation
import Synchronization

/// A body with files as an `InputStream`, which is the form that Foundation's requests have for it.
///
/// The verbs know this type, and send ``content`` itself, from the first byte each time. Another client reads the
/// stream: a test covers FoundationNetworking's client on Linux. Apple's client is not tested; it may call methods of a
/// subclass of `InputStream` that are not public.
final class BodyInputStream: InputStream {
  let content: BodyContent

  private var reader: BodyReader?
  private var piece = Data()
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  init(_ content: BodyContent) {
    self.content = content
    // The class has no initializer without a source; this source is never read.
    super.init(data: Data())
  }

  override func open() {
    guard status == .notOpen else { return }
    reader = BodyReader(content)
    status = .open
  }

  override func close() {
    reader = nil
    piece = Data()
    status = .closed
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard status == .open, maxLength > 0 else { return status == .error || status == .notOpen ? -1 : 0 }
    do {
      if piece.isEmpty { piece = try reader?.next() ?? Data() }
    } catch {
      failure = error
      status = .error
      return -1
    }
    guard !piece.isEmpty else {
      status = .atEnd
      return 0
    }
    let count = min(maxLength, piece.count)
    piece.copyBytes(to: buffer, count: count)
    piece = piece.dropFirst(count)
    return count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { status == .open }
  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }

  // Reading never waits long, so there is no event to schedule.
  override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {}
  override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

/// Any other stream of a request. It is read once, while it is sent.
final class InputStreamSource: BlockingSource {
  private let stream: InputStream
  private var isOpen = false

  init(_ stream: InputStream) { self.stream = stream }

  deinit { if isOpen { stream.close() } }

  func next() throws -> Data? {
    if !isOpen {
      guard stream.streamStatus == .notOpen else {
        throw InputStreamSource.failure("was opened before; a stream can be sent once")
      }
      stream.open()
      isOpen = true
    }
    var piece = Data(count: 128 << 10)
    let count = piece.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
    }
    guard count >= 0 else {
      throw InputStreamSource.failure(
        "broke: it reported \(stream.streamError.map { "\(type(of: $0))" } ?? "an error")")
    }
    return count == 0 ? nil : piece.prefix(count)
  }

  static func failure(_ what: String) -> TransportError {
    TransportError(.sending, "The request's httpBodyStream \(what).", mayHaveBeenProcessed: true)
  }
}

/// Hands the stream of a request to the first reader that opens it. Every HTTP client relies on being the only reader
/// of a stream in a request.
private final class StreamHandover: Sendable {
  private let reads: Mutex<BlockingReads?>

  init(_ stream: sending InputStream) { reads = Mutex(BlockingReads(InputStreamSource(stream))) }

  func open() throws -> BlockingReads {
    let reads = reads.withLock { reads in
      defer { reads = nil }
      return reads
    }
    guard let reads else { throw InputStreamSource.failure("was sent already and can't be sent again") }
    return reads
  }
}

extension RequestBody {
  init(_ stream: sending InputStream) {
    if let stream = stream as? BodyInputStream {
      self = stream.content.body
    } else {
      let handover = StreamHandover(stream)
      self = .stream(
        RequestBodyStream(length: nil) {
          let reads = try handover.open()
          return { try await reads.next() }
        })
    }
  }
}
