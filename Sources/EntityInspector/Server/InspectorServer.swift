import Foundation
import Synchronization

/// An HTTP server for one browser: GET on 127.0.0.1, a thread for each connection, and one request for each connection.
final class InspectorServer: Sendable {
  /// The answer to a request.
  enum Answer {
    case response(ServerResponse)
    /// A stream of events. The function is called ten times a second, and returns the events that came; `nil` ends the stream.
    case events(() -> String?)
  }

  static let mostConnections = 16
  /// The most bytes of a head.
  static let mostHead = 16 << 10
  /// The most milliseconds until a head is there.
  private static let patience: Int64 = 5_000

  let port: Int
  private let rules: AccessRules
  private let listener: ServerSocket
  private let answer: @Sendable (ServerRequest, [String]) -> Answer
  private let state = Mutex((connections: 0, isStopped: false))

  /// - Parameters:
  ///   - port: 0 for a free port.
  ///   - rules: Decide which requests are answered.
  ///   - answer: Answers an allowed request, with the parts of its path below the root. It runs on the thread of the
  ///     connection.
  /// - Throws: ``ServerSocket/Failure``.
  init(
    port: UInt16, _ rules: AccessRules, _ answer: @escaping @Sendable (ServerRequest, [String]) -> Answer
  ) throws {
    let (listener, port) = try ServerSocket.listening(on: port)
    self.listener = listener
    self.answer = answer
    (self.port, self.rules) = (port, rules)
    Thread { [self] in accept() }.start()
  }

  /// Takes no more connections, and ends the streams of events.
  func stop() {
    let wasStopped = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped
    }
    if !wasStopped { listener.stopListening() }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func accept() {
    while !isStopped, let socket = listener.accept() {
      let number = state.withLock { state in
        state.connections += 1
        return state.connections
      }
      // As many as are answered may be told that they are not.
      guard number <= 2 * Self.mostConnections else {
        socket.close()
        state.withLock { $0.connections -= 1 }
        continue
      }
      Thread { [self] in
        if number <= Self.mostConnections { serve(socket) } else { refuse(socket) }
        socket.end()
        state.withLock { $0.connections -= 1 }
      }.start()
    }
    #if canImport(Glibc)
      listener.close()
    #endif
  }

  /// The request is read first: to close on unread bytes would take the response back.
  private func refuse(_ socket: ServerSocket) {
    _ = readHead(socket)
    try? socket.write(ServerResponse(503, "The inspector has \(Self.mostConnections) connections already.").bytes)
  }

  private func serve(_ socket: ServerSocket) {
    do {
      switch readHead(socket) {
      case .head(let head):
        guard let request = ServerRequest(head: head) else {
          return try socket.write(ServerResponse(400, "The request is no HTTP/1.1 request for a path.").bytes)
        }
        switch rules.verdict(request, port: port) {
        case .answered(let response): try socket.write(response.bytes)
        case .allowed(let path):
          switch answer(request, path) {
          case .response(let response): try socket.write(response.bytes)
          case .events(let next): try stream(next, to: socket)
          }
        }
      case .refused(let response): try socket.write(response.bytes)
      case .ended: break
      }
    } catch {
      // The browser has left.
    }
  }

  private enum Head {
    case head([UInt8])
    case refused(ServerResponse)
    case ended
  }

  private func readHead(_ socket: ServerSocket) -> Head {
    let end = Array("\r\n\r\n".utf8)
    let deadline = ContinuousClock.now + .milliseconds(Self.patience)
    var bytes: [UInt8] = []
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0, let more = socket.read(within: Int32(clamping: milliseconds)) else {
        return .refused(ServerResponse(408, "The head of the request did not come in time."))
      }
      guard !more.isEmpty else { return .ended }
      let searched = max(0, bytes.count - end.count + 1)
      bytes += more
      if let range = bytes[searched...].firstRange(of: end), range.lowerBound <= Self.mostHead {
        return .head(Array(bytes[..<range.lowerBound]))
      }
      guard bytes.count <= Self.mostHead else {
        return .refused(ServerResponse(431, "The head of the request is longer than 16 KiB."))
      }
    }
  }

  private func stream(_ next: () -> String?, to socket: ServerSocket) throws {
    try socket.write(ServerResponse.eventHead)
    var quiet = 0
    while !isStopped, let events = next() {
      quiet = events.isEmpty ? quiet + 1 : 0
      if !events.isEmpty {
        try socket.write(Array(events.utf8))
      } else if quiet == 100 {
        // A comment, by which the server learns that the browser has left.
        try socket.write(Array(":\n\n".utf8))
        quiet = 0
      }
      // A browser sends nothing on a stream but its end.
      if socket.read(within: 100) != nil { return }
    }
  }
}
