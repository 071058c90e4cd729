/// A request that a document describes, before any rule.
struct RawOperation {
  static let methods = ["get", "post", "put", "patch", "delete"]

  let path: String
  let method: String
  let place: Place
  let parameters: [Place]

  var name: String { "\(method.uppercased()) \(path)" }
  var operationID: String? { place.node["operationId"]?.string }
  var summary: String? {
    place.node["summary"]?.string ?? place.node["description"]?.string
  }
  var isDeprecated: Bool { place.node["deprecated"]?.bool == true }

  /// The names between the braces of the path.
  var pathParameters: [String] { path.matches(of: /\{([^}\/]+)\}/).map { String($0.1) } }

  func parameters(in location: String) -> [Place] { parameters.filter { $0.node["in"]?.string == location } }

  /// The media type of a success, and its schema. `nil` where a success has no JSON.
  var answer: (media: Place, schema: Place)? {
    for response in successes {
      if let media = response["content"].flatMap(Self.jsonMedia), let schema = media["schema"] {
        return (media, schema)
      }
    }
    return nil
  }

  /// The examples of all successes in JSON.
  var examples: [Place] { medias.flatMap(\.examples) }

  /// Those of the schema that a function reads.
  var examplesOfAnswer: [Place] {
    guard let schema = answer?.schema.resolved?.name else { return [] }
    return medias.filter { $0["schema"]?.resolved?.name == schema }.flatMap(\.examples)
  }

  private var medias: [Place] { successes.compactMap { $0["content"].flatMap(Self.jsonMedia) } }

  /// Whether one of the successes has no body.
  var mayLackAnswer: Bool { successes.contains { $0["content"]?.entries.isEmpty != false } }

  var hasAnswer: Bool { successes.contains { $0["content"]?.entries.isEmpty == false } }

  /// The schema of a JSON body.
  var body: Place? {
    place["requestBody"]?.resolved?["content"].flatMap(Self.jsonMedia)?["schema"]
  }

  var hasBody: Bool { place["requestBody"] != nil }

  /// Whether a response has the header `Link`.
  var hasLinkHeader: Bool {
    successes.contains { response in
      response["headers"]?.entries.contains { $0.key.lowercased() == "link" } ?? false
    }
  }

  private var successes: [Place] {
    let responses = place["responses"]?.entries ?? []
    let successes = responses.filter { $0.key.hasPrefix("2") }.sorted { $0.key < $1.key }
    // Beside a success, the default is the error.
    return (successes.isEmpty ? responses.filter { $0.key == "default" } : successes).compactMap(\.place.resolved)
  }

  /// `application/json` and its relatives, such as `application/vnd.api+json`.
  private static func jsonMedia(of content: Place) -> Place? {
    let media = content.entries
    let chosen =
      media.first { $0.key.lowercased().hasPrefix("application/json") }
      ?? media.first { $0.key.lowercased().contains("json") } ?? media.first { $0.key == "*/*" }
    return chosen?.place
  }
}

extension Document {
  /// All operations, in the order of the document.
  var operations: [RawOperation] {
    guard let paths = place["paths"] else { return [] }
    return paths.entries.flatMap { path, item -> [RawOperation] in
      guard path.hasPrefix("/") else {
        if !path.hasPrefix("x-") { findings.note(.broken, item.name, "A path begins with a slash; it was left out.") }
        return []
      }
      guard let item = item.resolved, item.node.object != nil else {
        findings.note(.broken, item.name, "A path is an object; it was left out.")
        return []
      }
      return RawOperation.methods.compactMap { method in operation(method, path, item) }
    }
  }

  private func operation(_ method: String, _ path: String, _ item: Place) -> RawOperation? {
    guard let operation = item[method]?.resolved else { return nil }
    guard operation.node.object != nil else {
      findings.note(.broken, operation.name, "An operation is an object; it was left out.")
      return nil
    }
    // The operation's parameters come first: they replace the path's of the same name.
    var seen: Set<String> = []
    let parameters = [operation, item].flatMap { $0["parameters"]?.elements ?? [] }.compactMap { parameter -> Place? in
      guard let parameter = parameter.resolved, let name = parameter.node["name"]?.string else { return nil }
      return seen.insert("\(parameter.node["in"]?.string ?? "") \(name)").inserted ? parameter : nil
    }
    return RawOperation(path: path, method: method, place: operation, parameters: parameters)
  }
}
