public import EntityStore
import Foundation
import Synchronization

/// A line of the outbox's log: a claim, or its end. It has no values and no credentials.
public struct OutboxLogLine: Sendable, CustomStringConvertible {
  /// The event of a line.
  public enum Event: Sendable, Hashable {
    /// A request is about to be sent.
    case claimed
    /// The response was taken in.
    case done(status: Int)
    /// The server has this many bytes of a file, and the upload goes on.
    case piece(sent: Int64, of: Int64)
    /// The server refused the request; `nil` where no request could be made.
    case refused(status: Int?)
    /// The end of the request is not known.
    case unknown
    /// The server does not have the object of a create whose answer was lost.
    case notFound
    /// The request is sent later.
    case later
    /// The server has no such object any more.
    case gone
  }

  public let event: Event
  /// The entry's number, and the object.
  public let entry: Int64
  public let object: AnyEntityID
  /// The method and the URL, without its query; empty where no request was made.
  public let request: String

  /// The request and its event: `PATCH https://api.example.com/orders/10: done 200`.
  public var description: String {
    let name = request.isEmpty ? "\(object.entityName) (row \(object.pk))" : request
    return switch event {
    case .claimed: "\(name): sending"
    case .done(let status): "\(name): done \(status)"
    case .piece(let sent, let size): "\(name): \(sent) of \(size) bytes"
    case .refused(let status): "\(name): refused\(status.map { " \($0)" } ?? ", no request could be made")"
    case .unknown: "\(name): the answer was lost"
    case .notFound: "\(name): not found, so it is sent again"
    case .later: "\(name): later"
    case .gone: "\(name): the server has no such object any more"
    }
  }
}

/// Hands the lines of the log to their readers.
final class OutboxLog: Sendable {
  private let schema: SchemaModel
  private let readers = Mutex<[UUID: AsyncStream<OutboxLogLine>.Continuation]>([:])

  init(_ schema: SchemaModel) { self.schema = schema }

  deinit { for reader in readers.withLock({ Array($0.values) }) { reader.finish() } }

  var lines: AsyncStream<OutboxLogLine> {
    let (stream, continuation) = AsyncStream.makeStream(of: OutboxLogLine.self)
    let id = UUID()
    continuation.onTermination = { [weak self] _ in self?.readers.withLock { $0[id] = nil } }
    readers.withLock { $0[id] = continuation }
    return stream
  }

  func add(_ event: OutboxLogLine.Event, _ claim: Claim) {
    let url = claim.url.prefix { $0 != "?" }
    add(event, claim.entry, "\(claim.method) \(url)")
  }

  func add(_ event: OutboxLogLine.Event, _ entry: OutboxEntry, _ request: String = "") {
    let object = schema.entities[entry.key.entity].id(entry.key.pk)
    let line = OutboxLogLine(event: event, entry: entry.number, object: object, request: request)
    for reader in readers.withLock({ Array($0.values) }) { reader.yield(line) }
  }
}
