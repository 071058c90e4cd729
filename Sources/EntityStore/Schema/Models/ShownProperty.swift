import EntityJSON
import Foundation

/// How the values of a property are shown.
struct ShownProperty: Sendable, Hashable {
  /// `nil` for a relationship, and for an unknown type.
  let type: AttributeType?
  /// Whether the name of the property, or its key, says that it is a secret.
  let isSecret: Bool

  init(name: String, key: String = "", type: AttributeType? = nil) {
    self.type = type
    isSecret = Self.namesSecret(name) || Self.namesSecret(key)
  }

  init(_ property: PropertyModel) {
    let type: AttributeType? = if case .attribute(let type, _) = property.kind { type } else { nil }
    self.init(name: property.name, key: property.key, type: type)
  }

  /// The value in about 40 characters at most, and `…` for the value of a secret.
  ///
  /// - Parameter none: The word for a missing value.
  func text(_ value: PendingValue, none: String = "nil") -> String {
    if isSecret { return "…" }
    return switch value {
    case .attribute(.null), .object(nil): none
    case .attribute(.integer(let integer)): type == .bool ? "\(integer != 0)" : "\(integer)"
    case .attribute(.real(let real)): text(real)
    case .attribute(.text(let text)): self.text(text)
    case .attribute(.blob(let blob)): "\(blob.count) bytes"
    case .object(let id?): Self.text(id)
    case .list(let ids): Self.text(count: ids.count)
    }
  }

  static func text(_ id: AnyEntityID) -> String { "\(id.entityName) (row \(id.pk))" }

  static func text(count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }

  private func text(_ real: Double) -> String {
    switch type {
    case .date: ISO8601Text.text(secondsSince1970: real) ?? "\(real)"
    case .float: "\(Float(real))"
    default: "\(real)"
    }
  }

  private func text(_ text: String) -> String {
    switch type {
    case .decimal: DecimalText.number(in: text).map { String($0) } ?? quoted(text)
    // A value past Int64 is a text with zeros before it.
    case .integer: UInt64(text).map { String($0) } ?? quoted(text)
    case .url: url(text)
    case .json: Self.namesSecret(text) ? "…" : Self.cut(text)
    default: type?.facts.isWord == true ? text : quoted(text)
    }
  }

  /// The URL without credentials, and without the values of its query, which may be a signature.
  private func url(_ text: String) -> String {
    var base = text.prefix { !"?#".contains($0) }
    let more = base.endIndex == text.endIndex ? "" : "…"
    if let scheme = base.range(of: "://") {
      let authority = base[scheme.upperBound...].prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@") {
        base = "\(base[..<scheme.upperBound])…\(base[at...])"
      }
    }
    return Self.cut(base) + more
  }

  private func quoted(_ text: String) -> String { "\"\(text.prefix(40).escaped)\(text.count > 40 ? "…" : "")\"" }

  private static func cut(_ text: some StringProtocol) -> String {
    text.prefix(40).escaped + (text.count > 40 ? "…" : "")
  }

  /// Printed values appear in logs.
  private static func namesSecret(_ text: String) -> Bool {
    let letters = text.lowercased().filter { $0 != "_" && $0 != "-" }
    return ["password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "credential"].contains {
      letters.contains($0)
    }
  }
}

extension PendingValue: CustomStringConvertible {
  /// The value in about 40 characters at most: a text in quotation marks, an object by its row, a list by its count.
  public var description: String { ShownProperty(name: "").text(self) }
}
