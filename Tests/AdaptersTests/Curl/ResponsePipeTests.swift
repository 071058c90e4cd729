import AdapterDecorators
import EntityRequests
import Foundation
import Testing

/// The buffer between the thread of a transport and the reader of a streamed response.
@Suite(.untilItHangs)
struct ResponsePipeTests {
  private static func queue(_ pipe: ResponsePipe, _ bytes: some Sequence<UInt8>) -> Bool {
    Array(bytes).withUnsafeBytes { pipe.queue($0) }
  }

  private static func next(_ pipe: ResponsePipe) async throws -> Data? { try await pipe.next {} }

  @Test func `queued pieces that nobody took become one piece`() async throws {
    let pipe = ResponsePipe()
    #expect(Self.queue(pipe, "abc".utf8))
    #expect(Self.queue(pipe, "def".utf8))
    pipe.wake()
    #expect(try await Self.next(pipe) == Data("abcdef".utf8))
    #expect(Self.queue(pipe, "ghi".utf8))
    #expect(try await Self.next(pipe) == Data("ghi".utf8))
  }

  @Test func `a piece is no larger than 64 KiB`() async throws {
    let pipe = ResponsePipe()
    let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for start in stride(from: 0, to: sent.count, by: 10_000) {
      #expect(Self.queue(pipe, sent[start..<start + 10_000]))
    }
    pipe.finish(.success(()))
    var received = Data()
    while let piece = try await Self.next(pipe) {
      #expect(piece.count <= 64 << 10)
      received += piece
    }
    #expect(received == Data(sent))
  }

  @Test func `a full pipe refuses until half of it is read`() async throws {
    let pipe = ResponsePipe(capacity: 256 << 10)
    let write = [UInt8](repeating: 7, count: 64 << 10)
    for _ in 0..<4 { #expect(Self.queue(pipe, write)) }
    #expect(!Self.queue(pipe, write))
    let resumed = Event()
    _ = try await pipe.next { resumed.set() }
    #expect(!resumed.isSet)
    _ = try await pipe.next { resumed.set() }
    #expect(resumed.isSet)
    #expect(Self.queue(pipe, write))
  }

  @Test func `a piece comes before the error after it`() async throws {
    let pipe = ResponsePipe()
    #expect(Self.queue(pipe, "abc".utf8))
    pipe.finish(.failure(TransportError(.connection, "closed", mayHaveBeenProcessed: true)))
    #expect(try await Self.next(pipe) == Data("abc".utf8))
    await #expect(throws: TransportError.self) { try await Self.next(pipe) }
  }

  @Test func `a cancellation drops the queued bytes`() async throws {
    let pipe = ResponsePipe()
    #expect(Self.queue(pipe, "abc".utf8))
    pipe.finish(.failure(CancellationError()))
    await #expect(throws: CancellationError.self) { try await Self.next(pipe) }
  }

  /// The reader may wait before the bytes are there, or come afterwards: each round takes what the threads make of it.
  @Test func `queued bytes reach a reader that waits when the body ends`() async throws {
    for _ in 0..<300 {
      let pipe = ResponsePipe()
      let reader = Task { (try await Self.next(pipe), try await Self.next(pipe)) }
      // Else the reader would come after the bytes.
      await Task.yield()
      #expect(Self.queue(pipe, "abc".utf8))
      await Task.yield()
      pipe.finish(.success(()))
      let (piece, end) = try await reader.value
      #expect(piece == Data("abc".utf8))
      #expect(end == nil)
    }
  }

  /// As above; a reader that nobody wakes waits until the test's limit.
  @Test func `a full piece reaches a reader that waits at once`() async throws {
    let write = [UInt8](repeating: 7, count: 64 << 10)
    for _ in 0..<300 {
      let pipe = ResponsePipe()
      let reader = Task { try await Self.next(pipe) }
      await Task.yield()
      #expect(Self.queue(pipe, write))
      #expect(try await reader.value?.count == write.count)
    }
  }

  /// A writer that stops when it is refused, as libcurl does, and goes on when it is told to.
  @Test(arguments: [64, 4096, 256 << 10]) func `no reader and no writer is forgotten`(_ capacity: Int) async throws {
    let pipe = ResponsePipe(capacity: capacity)
    let sent = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) }
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let writer = Task {
      var resumed = signals.makeAsyncIterator()
      var start = 0
      while start < sent.count {
        let end = min(sent.count, start + 1 + start % 97)
        if Self.queue(pipe, sent[start..<end]) {
          start = end
          // The end of a turn of the engine.
          if start % 5 == 0 { pipe.wake() }
        } else {
          await resumed.next()
        }
      }
      pipe.finish(.success(()))
    }
    var received = Data()
    while let piece = try await pipe.next(unpause: { signal.yield() }) { received += piece }
    await writer.value
    #expect(received == Data(sent))
  }
}
