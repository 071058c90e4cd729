/// A response to read: an example of the document, or one that was made from its schema.
struct ExampleCase {
  /// How a function reads the response.
  enum Reading {
    /// The objects at a key path, empty for the whole body, and the lists beside them; an entity of `nil` where all lists are
    /// parts.
    case objects(of: String?, at: String, parts: [SchemaModel.Part])
    case value(ValueRule)
  }

  let operation: String
  let reading: Reading
  let body: Node
  let isOfDocument: Bool
}

/// The examples that tests read. Those that none reads are noted with the reason.
struct ExampleCases {
  private let model: SchemaModel
  private let requests: RequestBuilder
  private let findings: Findings
  /// Whether the model has all of the document: else the examples of the rest do not count.
  private let isWhole: Bool
  private(set) var all: [ExampleCase] = []
  /// The examples that the document has.
  private(set) var total = 0

  init(_ model: SchemaModel, _ requests: RequestBuilder, isWhole: Bool, _ findings: Findings) {
    (self.model, self.requests, self.isWhole, self.findings) = (model, requests, isWhole, findings)
    let objects = objectReadings
    let calls = model.requests + model.entities.flatMap { $0.requests?.calls ?? [] }
    let called = Set(calls.map(\.operation))
    let types = Set(model.structs.map(\.name)).union(ValueRule.plainTypes)
    for raw in requests.answers.all {
      let value = isWhole || called.contains(raw.name) ? ValueRule(raw, requests) : nil
      if let reading = objects[raw.name]
        ?? value.flatMap({ types.contains(SchemaModel.elementType(of: $0.type)) ? .value($0) : nil })
      {
        add(raw, reading)
      } else if isWhole, !raw.examples.isEmpty {
        total += raw.examples.count
        note(raw, raw.examples.count, reason(raw))
      }
    }
  }

  /// By the names of operations.
  private var objectReadings: [String: ExampleCase.Reading] {
    let kept = Set(model.entities.map(\.name))
    var readings: [String: ExampleCase.Reading] = [:]
    func add(_ number: Int?, _ operation: AnsweredOperation, _ parts: [SchemaModel.Part]) {
      let name = number.map(requests.builder.name)
      var parts = parts
      Only.keep(kept, in: &parts)
      guard name.map(kept.contains) ?? !parts.isEmpty else { return }
      readings[operation.raw.name] = .objects(of: name, at: operation.keyPath, parts: parts)
    }
    for (number, operations) in requests.operations {
      for operation in operations { add(number, operation, requests.parts(beside: operation)) }
    }
    for (number, lists) in requests.documents {
      for (list, parts) in lists { add(number, list, parts) }
    }
    return readings
  }

  private mutating func add(_ raw: RawOperation, _ reading: ExampleCase.Reading) {
    total += raw.examples.count
    let own = raw.examplesOfAnswer
    if own.count < raw.examples.count {
      note(raw, raw.examples.count - own.count, "another success has another schema.")
    }
    let cases = own.compactMap { example -> ExampleCase? in
      if let problem = problem(example.node, reading, isOfDocument: true) {
        findings.note(.broken, example.name, "An example of '\(raw.name)' \(problem), and was passed over.")
        return nil
      }
      return ExampleCase(operation: raw.name, reading: reading, body: example.node, isOfDocument: true)
    }
    all += cases
    guard raw.method == "get", case .objects = reading, let answer = raw.answer,
      !own.contains(where: { $0.node.object != nil || $0.node.array != nil })
    else { return }
    guard let made = ExampleMaker.example(of: answer.schema, uidKeys: uidKeys) else {
      return findings.note(
        .broken, raw.place.name, "No example of '\(raw.name)' could be made, and so it has no test.")
    }
    if let problem = problem(made, reading, isOfDocument: false) {
      return findings.note(
        .broken, raw.place.name, "An example that was made for '\(raw.name)' \(problem), and so it has no test.")
    }
    all.append(ExampleCase(operation: raw.name, reading: reading, body: made, isOfDocument: false))
  }

  private func note(_ raw: RawOperation, _ count: Int, _ reason: String) {
    findings.note(
      .unread, raw.place.name, "\(count) example\(count == 1 ? "" : "s") of '\(raw.name)' without a test: \(reason)")
  }

  /// The reason why nothing reads a response.
  private func reason(_ raw: RawOperation) -> String {
    let builder = requests.builder
    guard raw.answer != nil else { return "the response has no schema." }
    if ValueRule(raw, requests) != nil { return "no function returns its value, and so it has no struct." }
    guard let found = requests.answers.answered.first(where: { $0.raw.name == raw.name }),
      !builder.families.index.objects(at: found.object, found.context).isEmpty
    else { return "the response has no type." }
    guard let number = builder.families.number(at: found.object, found.context) else {
      return "no GET leads to its object."
    }
    return "'\(builder.name(number))' leads to entities and has no uid."
  }
}

// MARK: Examples that can't be read

extension ExampleCases {
  /// The end of a sentence; `nil` for an example that can be read.
  private func problem(_ body: Node, _ reading: ExampleCase.Reading, isOfDocument: Bool) -> String? {
    switch reading {
    case .value(let rule): return rule.fits(body) ? nil : "is no '\(rule.type)'"
    case .objects(let name, let keyPath, let parts):
      guard body.object != nil || body.array != nil else { return "is \(body.kindName)" }
      let main = name.flatMap { name in Self.objects(of: body, at: keyPath)?.map { (name, $0) } }
      let beside = parts.flatMap { part in
        (Self.objects(of: body, at: part.keyPath) ?? []).compactMap { object in
          Self.entity(of: object, in: part).map { ($0, object) }
        }
      }
      let missing = ((main ?? []) + beside).lazy.compactMap { missingUID(in: $1, of: $0) }.first
      // One that was cut off has no object.
      let hasObjects = isOfDocument || !(main ?? beside).isEmpty
      if missing == nil, hasObjects, name == nil || main != nil { return nil }
      return "has no '\(missing ?? name.map(uids)?.joined(separator: "' with '") ?? parts[0].keyPath)'"
    }
  }

  /// The entity of an object in a list with several; `nil` for an object of another kind, which is not read.
  private static func entity(of object: Node, in part: SchemaModel.Part) -> String? {
    guard let key = part.key else { return part.types.first?.name }
    return part.types.first { $0.key == object[key]?.string }?.name
  }

  private func uids(of entity: String) -> [String] {
    model.entities.first { $0.name == entity }?.properties.filter { $0.role == .uid }.map(\.keyPath) ?? ["id"]
  }

  /// The keys of all uids.
  private var uidKeys: Set<String> {
    Set(requests.builder.families.all.flatMap { $0.uid?.parts ?? [] }).union(UIDRule.names)
  }

  /// The objects at a key path; `nil` where there is no value.
  private static func objects(of body: Node, at keyPath: String) -> [Node]? {
    body.value(at: keyPath).map { $0.array ?? [$0] }
  }

  /// The uid that an object lacks: without it nobody could know the object again.
  private func missingUID(in object: Node, of entity: String) -> String? {
    let uids = uids(of: entity)
    let isWhole = uids.allSatisfy { object.value(at: $0).map { !$0.isNull } ?? false }
    return isWhole ? nil : uids.joined(separator: "' with '")
  }
}

extension ValueRule {
  /// Whether a function that returns the value reads a body.
  func fits(_ body: Node) -> Bool {
    let value = body.value(at: keyPath) ?? .null
    if value.isNull { return type.hasSuffix("?") }
    let element = SchemaModel.elementType(of: type)
    let values = type.hasPrefix("[") ? value.array : [value]
    return values?.allSatisfy { value in
      guard Self.plainTypes.contains(element) else { return value.object != nil }
      var found = Evidence()
      found.note(value)
      return !found.hasNull && found.fitsStrictly(element)
    } ?? false
  }
}

extension Node {
  /// The value at a key path; empty for the whole.
  fileprivate func value(at keyPath: String) -> Node? {
    var value: Node? = self
    for key in Shape.Property.keys(of: keyPath) { value = value?[key] }
    return value
  }
}
