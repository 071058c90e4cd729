/// The reason why an attribute can't have a value. Transformers throw it.
///
/// The reason appears in errors and logs. Say which value was expected, and leave out the actual value: it may be
/// private.
public struct AttributeError: Error, Sendable, CustomStringConvertible {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }

  public var description: String { reason }

  /// An error with the safe part of an error from other code, and never with the value.
  init(_ error: any Error) {
    switch error {
    case let error as AttributeError: self = error
    case let error as DecodingError: self.init(Self.reason(error))
    case let error as EncodingError: self.init(Self.reason(error))
    default: self.init("its type threw '\(type(of: error))'")
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context): "'\(type)' was expected\(place(context.codingPath))"
    case .valueNotFound(let type, let context): "'\(type)' was expected\(place(context.codingPath)), and there is null"
    case .keyNotFound(let key, let context): "the key '\(key.stringValue)' is missing\(place(context.codingPath))"
    // The description of the error may hold the value.
    case .dataCorrupted(let context): "the value\(place(context.codingPath)) is none of its type's"
    @unknown default: "it can't be decoded"
    }
  }

  private static func reason(_ error: EncodingError) -> String {
    switch error {
    case .invalidValue(_, let context): "JSON can't hold the value\(place(context.codingPath))"
    @unknown default: "it can't be encoded"
    }
  }

  /// The place, as Codable reports it: ` at 'limits[0].most'`; empty at the top.
  private static func place(_ path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let position = key.intValue, !(key.stringValue == "\(position)") {
        text += "[\(position)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    guard !text.isEmpty else { return "" }
    return " at '\(text.count > 200 ? text.prefix(200) + "…" : text)'"
  }
}
