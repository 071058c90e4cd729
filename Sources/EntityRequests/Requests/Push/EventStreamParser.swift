import Foundation

/// Reads an event stream piece by piece: WHATWG HTML §9.2.5 and §9.2.6. A piece may end anywhere.
///
/// The bytes of the data are handed on as they came, and not decoded with replacements: what reads them says where they
/// are no UTF-8.
struct EventStreamParser: Sendable {
  private let maximumLineBytes: Int
  private let maximumEventBytes: Int
  /// The bytes of a line whose end has not arrived.
  private var line = Data()
  private var isAtStart = true
  /// Whether the last byte was a CR: then an LF belongs to it.
  private var isAfterCR = false
  // The buffers of the standard.
  private var data = Data()
  private var kind = ""
  private var idBuffer: String

  /// The id of the last event, or of the last block without data; empty for none.
  private(set) var lastID: String
  /// The wait that the server has named last, in milliseconds.
  private(set) var retry: Int?

  /// - Parameter lastID: The id with which the stream was asked for.
  init(lastID: String, _ options: EventStreamOptions) {
    self.lastID = lastID
    idBuffer = lastID
    maximumLineBytes = options.maximumLineBytes
    maximumEventBytes = options.maximumEventBytes
  }

  /// The events that end in a piece.
  ///
  /// - Throws: ``RequestError`` of kind `parsing` for a line or an event over its limit.
  mutating func add(_ piece: Data) throws -> [PushedMessage] {
    var events: [PushedMessage] = []
    var rest = piece[...]
    while !rest.isEmpty {
      if isAfterCR {
        isAfterCR = false
        if rest.first == UInt8(ascii: "\n") {
          rest = rest.dropFirst()
          continue
        }
      }
      guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
        try extendLine(rest)
        break
      }
      try extendLine(rest[..<end])
      isAfterCR = rest[end] == UInt8(ascii: "\r")
      rest = rest[(end + 1)...]
      if let event = try endLine() { events.append(event) }
    }
    return events
  }

  private mutating func extendLine(_ bytes: Data) throws {
    guard line.count + bytes.count <= maximumLineBytes else {
      throw RequestError(.parsing, "A line of the event stream has more than \(maximumLineBytes) bytes.")
    }
    line.append(bytes)
  }

  private mutating func endLine() throws -> PushedMessage? {
    defer { line.removeAll(keepingCapacity: line.count < 1 << 16) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatched() }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      try take(field: line, Data())
      return nil
    }
    // A line that begins with a colon is a comment.
    guard colon > line.startIndex else { return nil }
    var value = line[(colon + 1)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    try take(field: line[..<colon], value)
    return nil
  }

  private mutating func take(field: Data, _ value: Data) throws {
    switch String(decoding: field, as: UTF8.self) {
    case "event": kind = String(decoding: value, as: UTF8.self)
    case "data":
      guard data.count + value.count < maximumEventBytes else {
        throw RequestError(.parsing, "An event of the stream has more than \(maximumEventBytes) bytes.")
      }
      data.append(value)
      data.append(UInt8(ascii: "\n"))
    case "id": if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
    case "retry":
      // More digits than these are over any limit.
      guard !value.isEmpty, value.allSatisfy({ (48...57).contains($0) }) else { return }
      retry = Int(String(decoding: value, as: UTF8.self)) ?? .max
    default: break
    }
  }

  private mutating func dispatched() -> PushedMessage? {
    lastID = idBuffer
    defer {
      data = Data()
      kind = ""
    }
    guard !data.isEmpty else { return nil }
    return PushedMessage(
      kind: kind.isEmpty ? PushedMessage.defaultKind : kind, data: Data(data.dropLast()),
      id: lastID.isEmpty ? nil : lastID)
  }
}
