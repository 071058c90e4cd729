import Foundation

/// A user's attributes in a form (WHATWG URL Standard §5.1), which has no types: the server knows those of a user.
enum FormAttributes {
  static func read(_ body: Data) -> [String: JSONValue] {
    var attributes: [String: JSONValue] = [:]
    for field in String(decoding: body, as: UTF8.self).split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
      let text = parts.count > 1 ? parts[1] : ""
      let name = parts[0]
      guard name.hasSuffix("]"), let open = name.firstIndex(of: "[") else {
        attributes[name] = value(of: name, text)
        continue
      }
      let inner = String(name[name.index(after: open)...].dropLast())
      let outer = JSONValue.object([inner: value(of: inner, text)])
      let key = String(name[..<open])
      attributes[key] = attributes[key]?.merging(outer) ?? outer
    }
    return attributes
  }

  private static func value(of name: String, _ text: String) -> JSONValue {
    if text.isEmpty { return .null }
    switch name {
    case "age", "id": return Int(text).map(JSONValue.int) ?? .string(text)
    case "score": return Double(text).map(JSONValue.double) ?? .string(text)
    case "active": return Bool(text).map(JSONValue.bool) ?? .string(text)
    default: return .string(text)
    }
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = text.replacingOccurrences(of: "+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }
}
