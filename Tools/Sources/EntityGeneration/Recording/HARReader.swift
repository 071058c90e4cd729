import Foundation

/// The responses in JSON of the server that most of a HAR file's responses are from (HTTP Archive 1.2).
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
    // `/users/ada/posts` has the name of the user that `/users/ada` responds with.
    let named = Set(exchanges.filter(Self.isNamedByPath).map(\.path))
    for index in exchanges.indices { exchanges[index].path = Self.template(exchanges[index].path, named: named) }
  }

  private static func exchange(_ entry: Node) -> (String, Recording.Exchange)? {
    guard let request = entry["request"], let response = entry["response"],
      let status = response["status"]?.int, (200..<300).contains(status),
      let method = request["method"]?.string?.lowercased(), RawOperation.methods.contains(method),
      let text = request["url"]?.string, let url = URLComponents(string: text), let host = url.host,
      let answer = json(response["content"])
    else { return nil }
    guard answer.object != nil || answer.array != nil else { return nil }
    var exchange = Recording.Exchange(method: method, path: url.percentEncodedPath, answer: answer)
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
    return try? DocumentFiles.node(data, of: "response.json")
  }

  /// Whether the object of a response has the end of the path as its name, as `{"login": "ada"}` of `/users/ada`.
  private static func isNamedByPath(_ exchange: Recording.Exchange) -> Bool {
    guard let fields = exchange.answer.object, let last = exchange.path.split(separator: "/").last,
      let name = String(last).removingPercentEncoding
    else { return false }
    let objects = [fields] + fields.pairs.compactMap(\.value.object)
    let keys = UIDRule.names + UIDRule.unsure.filter { $0 != "type" }
    return objects.contains { object in keys.contains { object[$0]?.scalarText == name } }
  }

  /// `/users/7/posts` is `/users/{user_id}/posts`.
  ///
  /// - Parameter named: Paths whose last segment is the name of an object.
  static func template(_ path: String, named: Set<String> = []) -> String {
    var result = ""
    var former = ""
    var read = ""
    for segment in path.split(separator: "/") {
      read += "/\(segment)"
      if isIdentifier(String(segment)) || named.contains(read), !former.isEmpty {
        let name = Words.split(Words.singular(former)).map { $0.lowercased() }.joined(separator: "_")
        result += "/{\(name)_id}"
      } else {
        result += "/\(segment)"
      }
      former = String(segment)
    }
    return result.isEmpty ? "/" : result
  }

  /// A number, a UUID, an address, or a long text with digits.
  private static func isIdentifier(_ segment: String) -> Bool {
    if segment.contains("@") || segment.contains("%40") { return true }
    if segment.allSatisfy(\.isNumber) || UUID(uuidString: segment) != nil { return true }
    let isWord = segment.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    return isWord && segment.count >= 16 && segment.count(where: \.isNumber) >= 4
  }
}
