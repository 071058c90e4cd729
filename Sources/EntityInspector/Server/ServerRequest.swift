import Foundation

/// A request that a browser sent, as far as its head says. The server takes no body.
struct ServerRequest: Sendable {
  let method: String
  /// The parts of the path, decoded. An empty last part stands for a slash at the end.
  let path: [String]
  /// The parameters in their order, decoded.
  let query: [(name: String, value: String)]
  private let fields: [(name: String, value: String)]

  /// The values of a header field.
  func values(_ name: String) -> [String] { fields.filter { $0.name == name.lowercased() }.map(\.value) }

  /// The first value of a parameter; `nil` where it is missing or empty.
  subscript(name: String) -> String? {
    query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// Reads a head (RFC 9112 §3 and §5), without the empty line at its end.
  ///
  /// - Returns: `nil` for a head that breaks the grammar, and for a target that is no path on this server.
  init?(head: [UInt8]) {
    guard head.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 }) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let first = lines.first, !lines.contains(where: { $0.utf8.contains { $0 == 0x0D || $0 == 0x0A } }) else {
      return nil
    }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]), let target = Target(words[1]) else {
      return nil
    }
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let name = line[..<colon]
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else { return nil }
      let value = line[line.utf8.index(after: colon)...]
      fields.append((name.lowercased(), value.trimmingCharacters(in: .whitespaces)))
    }
    method = String(words[0])
    (path, query) = (target.path, target.query)
    self.fields = fields
  }

  /// RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// A path with its query.
  private struct Target {
    var path: [String] = []
    var query: [(name: String, value: String)] = []

    init?(_ text: Substring) {
      guard text.hasPrefix("/"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      for part in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        guard let decoded = part.removingPercentEncoding else { return nil }
        path.append(decoded)
      }
      guard parts.count == 2 else { return }
      for pair in parts[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = sides.map { $0.replacing("+", with: " ").removingPercentEncoding }
        guard let name = decoded[0], let value = decoded.count == 2 ? decoded[1] : "" else { return nil }
        query.append((name, value))
      }
    }
  }
}
