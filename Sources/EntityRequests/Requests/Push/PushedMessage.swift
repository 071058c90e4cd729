public import EntityJSON
public import Foundation

/// A message that a server pushed: an event of a stream, a message of a WebSocket, the payload of a notification.
///
/// ```swift
/// try await client.receive(PushedMessage(data: frame), by: rules)
/// ```
public struct PushedMessage: Sendable {
  /// The kind: the `event` of a server-sent event; `message` where nothing says it.
  public var kind: String
  /// The payload, mostly JSON.
  public var data: Data
  /// The name that the server gave to the message, or to one before it: a stream goes on from there. `nil` for none.
  public var id: String?

  /// The kind of a message that names none (WHATWG HTML §9.2.6).
  public static let defaultKind = "message"

  /// - Parameters:
  ///   - kind: The kind of the message. ``PushRules`` may read it from the payload.
  ///   - data: The payload.
  ///   - id: The name that the server gave to the message.
  public init(kind: String = PushedMessage.defaultKind, data: Data, id: String? = nil) {
    self.kind = kind
    self.data = data
    self.id = id
  }

  /// The payload as text. Bytes that are no UTF-8 become U+FFFD.
  public var text: String { String(decoding: data, as: UTF8.self) }

  /// The payload as JSON, parsed now.
  ///
  /// - Throws: `JSONError`, with line and column.
  public func json() throws -> JSONValue { try JSONValue(parsing: data) }
}

extension PushedMessage: CustomStringConvertible, CustomReflectable {
  /// The kind and the length, with nothing of the payload.
  public var description: String { "'\(kind.prefix(100).escaped)', \(data.count) bytes" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
