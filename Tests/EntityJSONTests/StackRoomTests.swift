import Foundation
import Testing

@testable import EntityJSON

/// Values that nest as deep as a text may, on threads with a small stack: an error ends what would overflow it.
struct StackRoomTests {
  private struct Chain: Codable {
    var next: [Chain]
  }

  private static let text = Data(
    (String(repeating: #"{"next":["#, count: 255) + #"{"next":[]}"# + String(repeating: "]}", count: 255)).utf8)

  /// The sizes of stacks: a thread of musl, a queue's thread on Apple's systems, a thread of glibc.
  static let sizes = [128 << 10, 512 << 10, 8 << 20]

  @Test(arguments: sizes) func `decoding never overflows the stack`(size: Int) async throws {
    try await onThread(stackSize: size) {
      do {
        _ = try JSONValueDecoder().decode(Chain.self, from: Self.text)
      } catch DecodingError.dataCorrupted(let context) {
        #expect(context.debugDescription.contains("more than the stack of this thread has room for"))
        #expect(size < 8 << 20)
      }
    }
  }

  @Test(arguments: sizes) func `encoding never overflows the stack`(size: Int) async throws {
    try await onThread(stackSize: size) {
      var chain = Chain(next: [])
      for _ in 0..<255 { chain = Chain(next: [chain]) }
      do {
        _ = try JSONValueEncoder().bytes(of: chain)
      } catch EncodingError.invalidValue(_, let context) {
        #expect(context.debugDescription.contains("more than the stack of this thread has room for"))
        #expect(size < 8 << 20)
      }
    }
  }

  @Test func `the first levels of nesting are not checked`() async throws {
    try await onThread(stackSize: 128 << 10) {
      let few = Data(#"{"next":[{"next":[{"next":[]}]}]}"#.utf8)
      let chain = try JSONValueDecoder().decode(Chain.self, from: few)
      #expect(chain.next.count == 1)
    }
  }

  @Test func `a stack that is mostly free is not short`() async throws {
    try await onThread(stackSize: 1 << 20) {
      var room = StackRoom()
      let isShort = room.isShort(at: 100)
      #expect(!isShort)
    }
  }
}

/// Runs `body` on a thread of its own, with a stack of so many bytes.
func onThread<Result: Sendable>(stackSize: Int, _ body: @escaping @Sendable () throws -> Result) async throws -> Result
{
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
    thread.stackSize = stackSize
    thread.start()
  }
}
