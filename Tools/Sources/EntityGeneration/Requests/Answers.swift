/// An operation with the objects of its response.
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
  /// The kinds of objects of a list with several.
  var kinds: SchemaIndex.Kinds?
  /// The lists of related objects beside this one, as `included` of JSON:API.
  var beside: [AnsweredOperation] = []
}

/// A response whose lists are of several entities.
struct ListDocument {
  let raw: RawOperation
  /// The lists, each as if it were the only one.
  let lists: [AnsweredOperation]
}

/// The responses of all operations of a document.
struct Answers {
  let all: [RawOperation]
  /// The operations whose response has objects.
  private(set) var answered: [AnsweredOperation] = []
  private(set) var documents: [ListDocument] = []

  init(_ document: Document, _ index: SchemaIndex) {
    all = document.operations
    for operation in all {
      guard let answer = operation.answer else { continue }
      func list(_ keyPath: String, _ element: Place) -> AnsweredOperation {
        AnsweredOperation(
          raw: operation, kind: .list, keyPath: keyPath, object: element, body: answer.schema,
          kinds: operation.method == "get" ? index.kinds(at: element) : nil)
      }
      switch EnvelopeRule.content(of: answer.schema, at: operation.path, hasUID: index.hasUID) {
      case .list(let keyPath, let element)?: add([list(keyPath, element)])
      case .item(let keyPath, let object)?:
        answered.append(
          AnsweredOperation(raw: operation, kind: .item, keyPath: keyPath, object: object, body: answer.schema))
      case .several(let lists)?:
        let related = lists.filter { $0.key == EnvelopeRule.related }.map { list($0.keyPath, $0.element) }
        add(
          lists.filter { $0.key != EnvelopeRule.related }.map { list($0.keyPath, $0.element) },
          // A recording has one schema for all that is related.
          related.filter { $0.kinds != nil || !index.isRecorded && index.hasUID(Shape(of: $0.object)) })
      case nil: break
      }
    }
  }

  private mutating func add(_ lists: [AnsweredOperation], _ related: [AnsweredOperation] = []) {
    if lists.count == 1, var list = lists.first, list.kinds == nil {
      list.beside = list.raw.method == "get" ? related : []
      answered.append(list)
    } else if let raw = lists.first?.raw, raw.method == "get" {
      documents.append(ListDocument(raw: raw, lists: lists + related))
    }
  }

  /// The name of an inline object: the key that it stands under, the noun of the path, or that of the operation.
  static func context(of path: String, keyPath: String = "", operationID: String? = nil) -> SchemaIndex.Context {
    let key = Shape.Property.keys(of: keyPath).last ?? ""
    let segments = path.split(separator: "/").filter { !$0.contains("{") }
    let last = segments.last?.split(separator: ".").first.map(String.init) ?? "Object"
    let noun = operationID.flatMap(noun)
    let name: String
    if key.count > 2, !generalKeys.contains(key.lowercased()) {
      name = singular(key)
    } else if singular(last) != Words.upperCamel(last) || noun == nil && last.count > 2 {
      name = singular(last)
    } else {
      name = noun ?? singular(last)
    }
    return SchemaIndex.Context(name: name, stem: name, isTop: true)
  }

  private static let generalKeys: Set<String> = [
    "data", "items", "results", "result", "objects", "entries", "list", "values", "value", "records", "content", "rows",
    "response", "item", "payload", "body",
  ]

  private static func singular(_ name: String) -> String {
    let words = Words.split(name)
    return words.dropLast().map { Words.upperCamel($0) }.joined()
      + Words.upperCamel(Words.singular(words.last ?? "Object"))
  }

  /// `Topic` of `getTopic`.
  private static func noun(of operationID: String) -> String? {
    let words = Words.split(operationID)
    guard words.count > 1,
      ["get", "list", "fetch", "retrieve", "find", "show", "read", "query"].contains(words[0].lowercased())
    else {
      return nil
    }
    return singular(words.dropFirst().joined(separator: "_"))
  }
}

extension AnsweredOperation {
  /// The key path; `nil` for the whole body.
  var envelope: String? { keyPath.isEmpty ? nil : keyPath }

  var context: SchemaIndex.Context {
    Answers.context(of: raw.path, keyPath: keyPath, operationID: raw.operationID)
  }

  /// The name of an inline object of a list beside others.
  var partContext: SchemaIndex.Context {
    Answers.context(of: "/\(Shape.Property.keys(of: keyPath).last ?? "")")
  }

  /// The parameter at the end of the path, which names the object that is asked for.
  var ownParameter: String? {
    guard kind == .item, let last = raw.path.split(separator: "/").last, last.hasPrefix("{") else { return nil }
    return raw.pathParameters.last
  }
}
