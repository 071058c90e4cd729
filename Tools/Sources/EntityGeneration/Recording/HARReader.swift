import Foundation

/// The answers in JSON of the server that most of a HAR file's answers are from (HTTP Archive 1.2).
struct HARReader {
  private(set) var exchanges: [Recording.Exchange] = []
  /// The scheme, the host and the port.
  private(set) var server = ""

  init(_ entries: [Node]) {
    var found: [(server: String, exchange: Recording.Exchange)] = []
    for entry in entries { if let exchange = Self.exchange(entry) { found.append(exchange) } }
    let counts = Dictionary(grouping: found, by: \.server).mapValues(\.count)
    server = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    exchanges = found.filter { $0.server == server }.map(\.exchange)
  }

  private static func exchange(_ entry: Node) -> (String, Recording.Exchange)? {
    guard let request = entry["request"], let response = entry["response"],
      let status = response["status"]?.int, (200..<300).contains(status),
      let method = request["method"]?.string?.lowercased(), RawOperation.methods.contains(method),
      let text = request["url"]?.string, let url = URLComponents(string: text), let host = url.host,
      let answer = json(response["content"])
    else { return nil }
    guard answer.object != nil || answer.array != nil else { return nil }
    var exchange = Recording.Exchange(method: method, path: template(url.percentEncodedPath), answer: answer)
    exchange.query = (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    exchange.body = json(request["postData"])
    exchange.hasLink = (response["headers"]?.array ?? []).contains { header in
      header["name"]?.string?.lowercased() == "link" && header["value"]?.string?.contains("next") == true
    }
    let port = url.port.map { ":\($0)" } ?? ""
    return ("\(url.scheme ?? "https")://\(host)\(port)", exchange)
  }

  private static func json(_ content: Node?) -> Node? {
    guard let content, content["mimeType"]?.string?.lowercased().contains("json") == true,
      let text = content["text"]?.string
    else { return nil }
    let data = content["encoding"]?.string == "base64" ? Data(base64Encoded: text) ?? Data() : Data(text.utf8)
    return try? DocumentFiles.node(data, of: "answer.json")
  }

  /// `/users/7/posts` is `/users/{user_id}/posts`.
  static func template(_ path: String) -> String {
    var result = ""
    var former = ""
    for segment in path.split(separator: "/") {
      if isIdentifier(String(segment)), !former.isEmpty {
        let name = Words.split(Words.singular(former)).map { $0.lowercased() }.joined(separator: "_")
        result += "/{\(name)_id}"
      } else {
        result += "/\(segment)"
      }
      former = String(segment)
    }
    return result.isEmpty ? "/" : result
  }

  /// A number, a UUID, or a long text with digits.
  private static func isIdentifier(_ segment: String) -> Bool {
    if segment.allSatisfy(\.isNumber) || UUID(uuidString: segment) != nil { return true }
    let isWord = segment.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    return isWord && segment.count >= 16 && segment.count(where: \.isNumber) >= 4
  }
}
