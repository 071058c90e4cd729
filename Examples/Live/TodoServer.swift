import Foundation
import SampleServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The sample server, with its todos in a file beside the store. The first of several windows on one store has it.
struct TodoServer {
  let url: URL
  private let server: SampleServer?

  /// Starts the server, where it was the last time if that port is free: changes whose answers were lost are sent there
  /// again. Another window's server is taken as it is.
  static func start(beside store: URL) async throws -> TodoServer {
    // Its lock ends with the process, however that ends. The file stays open until then, and no other process inherits it.
    let note = open(store.path + "-server", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard note >= 0 else { throw ShowcaseError("No file can be written beside \(store.path).") }
    let last = URL(string: String(decoding: bytes(of: note), as: UTF8.self))
    guard flock(note, LOCK_EX | LOCK_NB) == 0 else {
      guard let last, last.host() != nil else {
        throw ShowcaseError("Another window is about to start the server. Try again in a second.")
      }
      return TodoServer(url: last, server: nil)
    }
    let server = try SampleServer(todosIn: URL(fileURLWithPath: store.path + "-server.json"))
    let url: URL
    // A text that something else has written may have any number for a port.
    let port = last?.port.flatMap { UInt16(exactly: $0) } ?? 0
    do { url = try await server.start(on: port) } catch { url = try await server.start() }
    let text = Array(url.absoluteString.utf8)
    guard ftruncate(note, 0) == 0, pwrite(note, text, text.count, 0) == text.count else {
      throw ShowcaseError("The file \(store.path)-server can't be written.")
    }
    return TodoServer(url: url, server: server)
  }

  private static func bytes(of file: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    return Array(bytes[..<max(0, pread(file, &bytes, bytes.count, 0))])
  }

  func stop() async { await server?.stop() }
}

/// The reason why the showcase does not start, for a person.
struct ShowcaseError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
