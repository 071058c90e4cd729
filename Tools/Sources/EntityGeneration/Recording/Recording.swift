import EntityJSON
import Foundation

/// Recorded responses as an OpenAPI document, so that they go by the same rules. Values in bodies get into it by their types
/// alone; paths, and the keys of objects and queries, as they are.
struct Recording {
  struct Exchange {
    var method: String
    /// With `{name}` for parameters.
    var path: String
    var query: [(name: String, value: String)] = []
    var body: Node?
    var answer: Node
    var hasLink = false
  }

  let document: Node

  /// - Parameters:
  ///   - files: Responses to one request.
  ///   - at: The method and the path, as `GET:/users/{id}`.
  init(files: [URL], at: String) throws {
    let parts = at.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, RawOperation.methods.contains(parts[0].lowercased()), parts[1].hasPrefix("/") else {
      throw GenerationError("--at", "'\(at)' is no method with a path, as in GET:/users or GET:/users/{id}.")
    }
    var exchanges: [Exchange] = []
    var bytes = 0
    for named in files {
      let file = try DocumentFiles.named(named)
      let reader = DocumentFiles(root: file.deletingLastPathComponent(), alreadyRead: bytes)
      let node = try reader.node(at: file.lastPathComponent)
      bytes = reader.total
      exchanges.append(Exchange(method: parts[0].lowercased(), path: parts[1], answer: node))
    }
    document = Self.document(
      exchanges, title: files.first?.deletingPathExtension().lastPathComponent ?? "", server: nil)
  }

  /// - Throws: ``GenerationError`` for a file without any response in JSON.
  init(har: Node, file: String) throws {
    guard let entries = har["log"]?["entries"]?.array else {
      throw GenerationError(file, "A HAR file has its requests at log.entries, and there are none.")
    }
    let reader = HARReader(entries)
    guard !reader.exchanges.isEmpty else {
      throw GenerationError(file, "None of the \(entries.count) requests has a successful response in JSON.")
    }
    document = Self.document(reader.exchanges, title: Self.title(of: reader.server), server: reader.server)
  }

  /// `https://api.example.com` is `example`.
  private static func title(of server: String) -> String {
    let labels = URL(string: server)?.host()?.split(separator: ".").map(String.init) ?? []
    return labels.count > 1 ? labels[labels.count - 2] : labels.first ?? ""
  }

  private static func document(_ exchanges: [Exchange], title: String, server: String?) -> Node {
    var inference = SchemaInference()
    var paths = Node.Fields()
    var order: [String] = []
    var groups: [String: [Exchange]] = [:]
    for exchange in exchanges {
      let key = "\(exchange.method) \(exchange.path)"
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(exchange)
    }
    for key in order {
      guard let group = groups[key], let first = group.first else { continue }
      var item = paths[first.path]?.object ?? Node.Fields()
      item[first.method] = operation(group, &inference)
      paths[first.path] = .object(item)
    }
    var root: Node.Fields = Node.Fields()
    root["openapi"] = "3.1.0"
    root["x-recorded"] = true
    root["info"] = ["title": .string(title), "version": ""]
    if let server { root["servers"] = [["url": .string(server)]] }
    root["paths"] = .object(paths)
    return .object(root)
  }

  private static func content(_ schema: Node) -> Node { ["application/json": ["schema": schema]] }

  private static func operation(_ group: [Exchange], _ inference: inout SchemaInference) -> Node {
    var response = Node.Fields()
    response["content"] = content(inference.schema(of: group.map(\.answer)))
    if group.contains(where: \.hasLink) { response["headers"] = ["Link": ["schema": ["type": "string"]]] }
    var operation = Node.Fields()
    operation["responses"] = ["200": .object(response)]
    let bodies = group.compactMap(\.body)
    if !bodies.isEmpty {
      operation["requestBody"] = ["content": content(inference.schema(of: bodies))]
    }
    var parameters: [Node] = []
    var names: Set<String> = []
    for (name, _) in group.flatMap(\.query) where names.insert(name).inserted {
      let values = group.flatMap(\.query).filter { $0.name == name }.map(\.value)
      let type: Node = values.allSatisfy { Int($0) != nil } ? "integer" : "string"
      parameters.append(["name": .string(name), "in": "query", "schema": ["type": type]])
    }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    return .object(operation)
  }
}
