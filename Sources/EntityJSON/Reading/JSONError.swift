public import Foundation

/// The reason why a text was refused as JSON, and the place.
///
/// It has nothing of the document but the keys that lead to the place and one offending byte, so that it can be logged.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// No bytes, or nothing but whitespace.
    case emptyInput
    /// The text begins with a byte order mark, which RFC 8259 §8.1 forbids a sender to add.
    case byteOrderMark
    /// The text ends inside a value.
    case unexpectedEnd
    /// A byte that the grammar does not allow here.
    case unexpectedByte
    /// Something other than whitespace after the value.
    case trailingContent
    /// A leading zero, or a sign, point or exponent without its digits (RFC 8259 §6).
    case invalidNumber
    /// A control character inside a string (RFC 8259 §7).
    case controlCharacter
    /// An escape that RFC 8259 §7 does not name.
    case invalidEscape
    /// One half of a surrogate pair without the other (RFC 8259 §8.2).
    case loneSurrogate
    /// Bytes that are not UTF-8 (RFC 8259 §8.1, RFC 3629 §4).
    case invalidUTF8
    /// A key that already stood in the same object, where such a key is to be refused (RFC 8259 §4).
    case duplicateKey
    /// More nested arrays and objects than the limit.
    case tooDeep
    /// More bytes than the limit.
    case tooLarge
    /// More values than the limit.
    case tooManyNodes
    /// Valid JSON whose top level is not an object, where one was required.
    case notAnObject
  }

  public let kind: Kind
  /// 1-based; LF, CR and CR LF each end a line.
  public let line: Int
  /// 1-based, in Unicode scalars from the start of the line.
  public let column: Int
  /// 0-based, in bytes.
  public let offset: Int
  /// The keys and positions that lead to the place, such as `users[3].address.city`; empty at the top level. A key that
  /// is empty or contains a dot, a bracket or a quote is written as `["a.b"]`. Long paths lose their middle.
  public let keyPath: String
  /// The text that was expected, and the text that was found.
  public let message: String

  package init(kind: Kind, line: Int, column: Int, offset: Int, keyPath: String, message: String) {
    self.kind = kind
    self.line = line
    self.column = column
    self.offset = offset
    self.keyPath = keyPath
    self.message = message
  }

  static let tooLarge = JSONError(
    kind: .tooLarge, line: 1, column: 1, offset: 0, keyPath: "", message: "the text has more bytes than the limit")

  public var description: String {
    let place = keyPath.isEmpty ? "" : ", at \(keyPath)"
    return "JSON line \(line), column \(column) (byte \(offset))\(place): \(message)"
  }
}

/// Without it, Foundation makes up a sentence without information.
extension JSONError: LocalizedError {
  public var errorDescription: String? { description }
}

/// The error of the scanner and the parser. Its line, column and key path are computed only after the parse has failed.
struct JSONFault: Error {
  var kind: JSONError.Kind
  var offset: Int
  var text: StaticString
  /// Whether `text` names the expected text, so that the found text belongs after it.
  var isExpectation: Bool

  static func expected(_ text: StaticString, at offset: Int, kind: JSONError.Kind = .unexpectedByte) -> JSONFault {
    JSONFault(kind: kind, offset: offset, text: text, isExpectation: true)
  }

  static func refused(_ kind: JSONError.Kind, _ text: StaticString, at offset: Int) -> JSONFault {
    JSONFault(kind: kind, offset: offset, text: text, isExpectation: false)
  }
}
