import EntityRequests
public import Foundation

/// Why a document was refused as XML, and where.
///
/// Nothing of the document is in it but the names that lead to the place, so that it can be logged.
public struct XMLError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// No bytes, or nothing but whitespace.
    case emptyInput
    /// The document ends inside an element, or inside markup.
    case unexpectedEnd
    /// Text or markup that the grammar does not allow here.
    case malformed
    /// An end tag with another name than the element that is open.
    case mismatchedTag
    /// An attribute that stands twice in an element.
    case duplicateAttribute
    /// Something other than comments, processing instructions and whitespace outside of the root element.
    case trailingContent
    /// A document type declaration. It may declare entities, which this reader never expands.
    case documentType
    /// A reference to an entity that XML does not have by itself.
    case unknownEntity
    /// A character that XML does not allow (XML 1.0 §2.2), also by reference.
    case invalidCharacter
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// The document is declared to be, or begins as one, in another encoding than UTF-8.
    case encoding
    /// More nested elements than the limit.
    case tooDeep
    /// More bytes than the limit.
    case tooLarge
    /// More elements, attributes and texts than the limit.
    case tooManyNodes
  }

  public let kind: Kind
  /// 1-based; LF, CR and CR LF each end a line.
  public let line: Int
  /// 1-based, in Unicode scalars from the start of the line.
  public let column: Int
  /// 0-based, in bytes.
  public let offset: Int
  /// The elements that are open at the place, such as `users/user/name`. Long paths lose their middle.
  public let path: String
  public let message: String

  public var description: String {
    let place = path.isEmpty ? "" : ", in \(path)"
    return "XML line \(line), column \(column) (byte \(offset))\(place): \(message)"
  }
}

/// Without it Foundation makes up a sentence that tells nothing.
extension XMLError: LocalizedError {
  public var errorDescription: String? { description }
}

extension XMLError: LoggableError {}

/// The error of the reader. Its line, column and path are worked out only after the reading has failed.
struct XMLFault: Error {
  let kind: XMLError.Kind
  let message: String
  let offset: Int
}

extension XMLError {
  /// An error of the whole document.
  init(_ kind: Kind, _ message: String) {
    self.init(kind: kind, line: 1, column: 1, offset: 0, path: "", message: message)
  }

  init(_ fault: XMLFault, in bytes: [UInt8], path: [String]) {
    var (line, column) = (1, 1)
    var previous: UInt8 = 0
    for byte in bytes.prefix(fault.offset) {
      switch byte {
      case 0x0A where previous == 0x0D: break
      case 0x0A, 0x0D: (line, column) = (line + 1, 1)
      case 0x80...0xBF: break
      default: column += 1
      }
      previous = byte
    }
    self.init(
      kind: fault.kind, line: line, column: column, offset: fault.offset, path: Self.shown(path),
      message: fault.message)
  }

  private static func shown(_ path: [String]) -> String {
    let names = path.map { $0.count > 60 ? $0.prefix(60) + "…" : $0 }
    let shown = names.count > 8 ? names.prefix(4) + ["…"] + names.suffix(4) : names[...]
    return shown.joined(separator: "/")
  }
}
