/// An operation with what it answers.
struct AnsweredOperation {
  enum Kind { case list, item }

  let raw: RawOperation
  let kind: Kind
  /// The key path of the list or the item; empty for the whole body.
  let keyPath: String
  /// The schema of an element, or of the item.
  let object: Place
  /// The schema of the whole body.
  let body: Place
}

/// The answers of all operations of a document.
struct Answers {
  private(set) var answered: [AnsweredOperation] = []
  /// Operations whose success has no body.
  private(set) var silent: [RawOperation] = []
  /// Operations whose answer is no object of an entity, with the reason.
  private(set) var others: [(operation: RawOperation, reason: String)] = []
  /// Objects that stand in answers with several lists.
  private(set) var beside: [Place] = []

  init(_ document: Document, _ index: SchemaIndex) {
    for operation in document.operations {
      guard let answer = operation.answer else {
        if operation.hasAnswer { others.append((operation, "no JSON")) } else { silent.append(operation) }
        continue
      }
      switch EnvelopeRule.content(of: answer.schema, hasUID: index.hasUID) {
      case .list(let keyPath, let element)?: add(operation, .list, keyPath, element, answer.schema)
      case .item(let keyPath, let object)?: add(operation, .item, keyPath, object, answer.schema)
      case .several(let lists)?:
        others.append((operation, "several lists: " + lists.map(\.key).joined(separator: ", ")))
        if operation.method == "get" { beside += lists.map(\.element) }
      case nil: others.append((operation, "no object"))
      }
    }
  }

  private mutating func add(
    _ operation: RawOperation, _ kind: AnsweredOperation.Kind, _ keyPath: String, _ object: Place, _ body: Place
  ) {
    answered.append(
      AnsweredOperation(raw: operation, kind: kind, keyPath: keyPath, object: object, body: body))
  }

  /// The name of an inline object is that of the path.
  static func context(of path: String) -> SchemaIndex.Context {
    let segments = path.split(separator: "/").filter { !$0.contains("{") }
    let last = segments.last.map(String.init) ?? "Object"
    let plain = last.split(separator: ".").first.map(String.init) ?? last
    let words = Words.split(plain)
    let name = words.dropLast().map { Words.upperCamel($0) }.joined() + Words.upperCamel(Words.singular(words.last ?? "Object"))
    return SchemaIndex.Context(name: name, stem: name, isTop: true)
  }
}

extension AnsweredOperation {
  /// The key paths as a library reads them: a key with a dot has a backslash before it nowhere here, because envelopes
  /// are keys of schemas that have none.
  var envelope: String? { keyPath.isEmpty ? nil : keyPath }

  /// The parameter at the end of the path, which names the object that is asked for.
  var ownParameter: String? {
    guard kind == .item, let last = raw.path.split(separator: "/").last, last.hasPrefix("{") else { return nil }
    return raw.pathParameters.last
  }
}
