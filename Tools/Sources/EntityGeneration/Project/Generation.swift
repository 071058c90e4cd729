public import Foundation

/// One run: a document and settings to a model, and findings.
public struct Generation {
  private(set) var model: SchemaModel
  public let findings: [Finding]
  let examples: [ExampleCase]
  public let statistics: Statistics

  /// The numbers of a run.
  public struct Statistics: Sendable, Equatable {
    public var schemas = 0
    public var entities = 0
    public var structs = 0
    public var enums = 0
    public var properties = 0
    /// Properties with a `// choose:`.
    public var open = 0
    public var calls = 0
    public var examples = 0

    public init() {}
  }

  /// - Parameters:
  ///   - root: The content of the document.
  ///   - file: Its path below `folder`.
  ///   - folder: The folder that its references stay in.
  /// - Throws: ``GenerationError`` for what is no OpenAPI document of version 3.
  public init(_ root: Node, file: String, folder: URL, settings: Settings = Settings()) throws {
    try Self.check(settings)
    let findings = Findings()
    let document = try Document(root, file: file, files: DocumentFiles(root: folder), findings: findings)
    let index = SchemaIndex(
      document,
      chosenUIDs: Dictionary(
        settings.choices.compactMap { $0.key.hasSuffix(".uid") ? (String($0.key.dropLast(4)), $0.value) : nil },
        uniquingKeysWith: { first, _ in first }))
    let answers = Answers(document, index)
    let families = try Self.families(answers, index)
    let evidence = Self.evidence(answers, families, index)
    let prefix = settings.prefix ?? TypeNames.prefix(for: document.title)
    let builder = SchemaBuilder(families, evidence, settings, prefix: prefix, findings)
    let requests = RequestBuilder(builder, answers)
    var model = Self.model(document, builder, requests, prefix)
    try Only.keep(settings.only, in: &model)
    Self.noteAnswersWithoutUID(answers, builder, findings)
    self.model = model
    examples = ExampleCases(model: model, requests: requests, findings: findings).all
    self.findings = findings.all
    statistics = Self.statistics(document, model, examples)
  }

  private init(model: SchemaModel) {
    (self.model, findings, examples, statistics) = (model, [], [], Statistics())
  }

  /// - Throws: ``GenerationError`` for a name that can't be one of Swift's.
  private static func check(_ settings: Settings) throws(GenerationError) {
    let names = settings.names.values.sorted() + [settings.prefix].compactMap(\.self)
    for name in names where name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) == nil {
      throw GenerationError(ProjectFile.name, "'\(name)' can't be the name of a type: letters and digits are.")
    }
  }

  /// Notes what entities had in an earlier run and have no more: a store refuses a file with a part that nobody declares.
  mutating func noteRemoved(since former: SchemaModel) {
    for index in model.entities.indices {
      guard let before = former.entities.first(where: { $0.name == model.entities[index].name }) else { continue }
      let names = Set(model.entities[index].properties.map(\.name))
      let all = before.removed + before.properties.map(\.name)
      model.entities[index].removed = all.filter { !names.contains($0) }
    }
  }

  /// A run with another model: for the texts that the run before has written.
  func replacing(_ model: SchemaModel) -> Generation { Generation(model: model) }

  private static func families(_ answers: Answers, _ index: SchemaIndex) throws(GenerationError) -> Families {
    var starts: [SchemaIndex.ID] = []
    var others: [SchemaIndex.ID] = []
    for operation in answers.answered {
      let ids = index.objects(at: operation.object, operation.context)
      if let parameter = operation.ownParameter { for id in ids { index.note(parameter: parameter, of: id) } }
      if operation.raw.method == "get" { starts += ids } else { others += ids }
    }
    for (key, element) in answers.beside { starts += index.objects(at: element, Answers.context(of: "/\(key)")) }
    return try Families(index, starts: starts, others: others)
  }

  private static func evidence(_ answers: Answers, _ families: Families, _ index: SchemaIndex) -> EvidenceBook {
    let book = EvidenceBook()
    for operation in answers.answered {
      guard let answer = operation.raw.answer else { continue }
      for example in answer.media.examples { book.note(example.node, at: answer.schema) }
    }
    for family in families.all {
      for id in family.variants { if let place = index.place(id) { book.noteOwnExamples(of: place) } }
    }
    return book
  }

  private static func model(
    _ document: Document, _ builder: SchemaBuilder, _ requests: RequestBuilder, _ prefix: String
  ) -> SchemaModel {
    var model = SchemaModel(
      title: document.title, version: document.version, baseURL: document.baseURL, keyStyle: "snakeCase", prefix: prefix
    )
    var entities: [Int: SchemaModel.Entity] = [:]
    let numbers = builder.families.all.indices
    for number in numbers where builder.kinds[number] != .value { entities[number] = builder.entity(number) }
    for number in numbers where builder.kinds[number] == .value { model.structs.append(builder.structure(number)) }
    requests.addRoutes(to: &entities)
    for number in numbers {
      guard var entity = entities[number] else { continue }
      entity.requests = requests.requests(number, of: entity)
      model.entities.append(entity)
    }
    model.enums = builder.enums
    model.keyStyle = keyStyle(of: model)
    model.entities.sort { $0.name < $1.name }
    return model
  }

  /// The style that fits more of the keys of several words.
  private static func keyStyle(of model: SchemaModel) -> String {
    var snake = 0
    var written = 0
    for property in model.entities.flatMap(\.properties) where property.role != .uid {
      if SwiftNames.snakeCase(property.name) == property.keyPath { snake += 1 }
      if property.name == property.keyPath { written += 1 }
    }
    return written > snake ? "asWritten" : "snakeCase"
  }

  /// An answer of objects that nothing names is no entity.
  private static func noteAnswersWithoutUID(_ answers: Answers, _ builder: SchemaBuilder, _ findings: Findings) {
    for operation in answers.answered where operation.raw.method == "get" {
      let context = operation.context
      guard let number = builder.families.number(at: operation.object, context), builder.kinds[number] != .entity else {
        continue
      }
      let family = builder.families.all[number]
      let keys = builder.families.properties(of: family).map(\.key)
      let maybe = keys.first { UIDRule.unsure.contains($0.lowercased()) }
      let advice = maybe.map { " If '\($0)' is one, say so: \"choices\": {\"\(family.name).uid\": \"\($0)\"}." } ?? ""
      findings.note(
        .open, operation.raw.place.name,
        "'\(operation.raw.name)' answers with '\(family.name)', which has no uid and so is no entity.\(advice)")
    }
  }

  private static func statistics(
    _ document: Document, _ model: SchemaModel, _ examples: [ExampleCase]
  ) -> Statistics {
    var statistics = Statistics()
    statistics.schemas = document.root["components"]?["schemas"]?.object?.keys.count ?? 0
    statistics.entities = model.entities.count
    statistics.structs = model.structs.count
    statistics.enums = model.enums.count
    statistics.properties = model.entities.reduce(0) { $0 + $1.properties.count }
    statistics.open = model.entities.reduce(0) { $0 + $1.properties.count { $0.choose != nil } }
    statistics.calls = model.entities.reduce(0) { $0 + ($1.requests?.calls.count ?? 0) }
    statistics.examples = examples.count { $0.isOfDocument }
    return statistics
  }
}
