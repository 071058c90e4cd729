import Foundation

/// One run: a document and settings to a model, and findings.
struct Generation {
  private(set) var model: SchemaModel
  let findings: [Finding]
  let examples: [ExampleCase]
  let statistics: Statistics

  /// - Parameters:
  ///   - root: The content of the document.
  ///   - file: Its path below `folder`.
  ///   - folder: The folder that its references stay in.
  ///   - former: The model of the run before, whose names stay.
  /// - Throws: ``GenerationError`` for what is no OpenAPI document of version 3.
  init(_ root: Node, file: String, folder: URL, settings: Settings = Settings(), former: SchemaModel? = nil) throws {
    try Self.check(settings)
    let findings = Findings()
    let document = try Document(root, file: file, files: DocumentFiles(root: folder), findings: findings)
    let decisions = Decisions(settings)
    let index = SchemaIndex(document, decisions)
    let answers = Answers(document, index)
    let families = try Self.families(answers, index)
    let evidence = Self.evidence(answers, families, index)
    let prefix = settings.prefix ?? former?.prefix ?? TypeNames.prefix(for: document.title)
    let builder = SchemaBuilder(families, evidence, decisions, prefix: prefix, findings)
    let requests = RequestBuilder(builder, answers)
    var model = try Self.model(document, builder, requests, prefix)
    if let problem = builder.names.problem { throw problem }
    decisions.noteUnused(findings)
    model.keyStyle = former?.keyStyle ?? Self.keyStyle(of: model)
    try Only.keep(settings.only, in: &model)
    Only.dropUnusedStructs(in: &model)
    if let former { Self.noteFormer(former, in: &model) }
    Self.noteAnswersWithoutUID(answers, builder, findings)
    self.model = model
    let examples = ExampleCases(model, requests, isWhole: settings.only.isEmpty, findings)
    self.examples = examples.all
    self.findings = findings.all
    statistics = Self.statistics(model, examples)
  }

  /// A run without a document: for the texts that the run before has written.
  init(model: SchemaModel) {
    (self.model, findings, examples, statistics) = (model, [], [], Statistics())
  }

  /// - Throws: ``GenerationError`` for a name that can't be one of Swift's.
  private static func check(_ settings: Settings) throws(GenerationError) {
    // The name of a type may have a dot in the document, too.
    let properties = Set(
      settings.names.filter { $0.key.contains(".") && $0.value.first?.isUppercase == false }.values)
    for name in properties.sorted() where name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) == nil {
      throw GenerationError(Settings.file, "'\(name)' can't be the name of a property: letters and digits are.")
    }
    let names =
      settings.names.values.filter { !properties.contains($0) }.sorted() + [settings.prefix].compactMap(\.self)
    for name in names where name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) == nil {
      throw GenerationError(Settings.file, "'\(name)' can't be the name of a type: letters and digits are.")
    }
  }

  /// Notes what entities had and were called in earlier runs: a store refuses a file with a part that nobody declares.
  /// A property that may have another name now is left to the person: a column that is removed can't be renamed.
  private static func noteFormer(_ former: SchemaModel, in model: inout SchemaModel) {
    let origins = model.origins(in: former)
    for index in model.entities.indices {
      let name = model.entities[index].name
      guard let before = origins[name] else { continue }
      let earlier = before.formerNames + [before.name]
      model.entities[index].formerNames = earlier.filter { $0 != name }
      let renames = ModelComparison.renames(from: before, to: model.entities[index])
      let names = Set(model.entities[index].properties.map(\.name))
      let all = before.removed + before.properties.map(\.name).filter { renames[$0] == nil }
      model.entities[index].removed = all.filter { !names.contains($0) }
    }
  }

  private static func families(_ answers: Answers, _ index: SchemaIndex) throws(GenerationError) -> Families {
    var starts: [SchemaIndex.ID] = []
    var others: [SchemaIndex.ID] = []
    for operation in answers.answered {
      let ids = index.objects(at: operation.object, operation.context)
      if let parameter = operation.ownParameter {
        // Beside another parameter that the object has, this one is a uid among some of the objects alone.
        let others = operation.raw.pathParameters.dropLast()
        for id in ids where others.allSatisfy({ index.shape(id)[$0] == nil }) {
          index.note(parameter: parameter, of: id)
        }
      }
      if operation.raw.method == "get" { starts += ids } else { others += ids }
    }
    // A function needs a struct for such a response; an object with more may lead to entities.
    starts += others.filter { index.uid($0) == nil && index.isPlain($0) }
    for list in answers.documents.flatMap(\.lists) + answers.answered.flatMap(\.beside) {
      starts += list.kinds?.types.map(\.id) ?? index.objects(at: list.object, list.partContext)
    }
    return try Families(index, starts: starts, others: others)
  }

  private static func evidence(_ answers: Answers, _ families: Families, _ index: SchemaIndex) -> EvidenceBook {
    let book = EvidenceBook()
    for raw in answers.all {
      guard let schema = raw.answer?.schema else { continue }
      for example in raw.examplesOfAnswer { book.note(example.node, of: schema) }
    }
    for family in families.all {
      for id in family.variants { if let place = index.place(id) { book.noteOwnExamples(of: place) } }
    }
    return book
  }

  private static func model(
    _ document: Document, _ builder: SchemaBuilder, _ requests: RequestBuilder, _ prefix: String
  ) throws(GenerationError) -> SchemaModel {
    var model = SchemaModel(
      title: document.title, version: document.version, baseURL: document.baseURL, keyStyle: "snakeCase", prefix: prefix
    )
    var entities: [Int: SchemaModel.Entity] = [:]
    let numbers = builder.families.all.indices
    for number in numbers where builder.kinds[number] != .value { entities[number] = try builder.entity(number) }
    for number in numbers where builder.kinds[number] == .value { model.structs.append(builder.structure(number)) }
    requests.addRoutes(to: &entities)
    for number in numbers {
      guard var entity = entities[number] else { continue }
      entity.requests = requests.requests(number, of: entity)
      model.entities.append(entity)
    }
    model.requests = requests.calls
    model.enums = builder.enums
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

  /// A response of objects that nothing names is no entity.
  private static func noteAnswersWithoutUID(_ answers: Answers, _ builder: SchemaBuilder, _ findings: Findings) {
    for operation in answers.answered where operation.raw.method == "get" {
      let context = operation.context
      guard let number = builder.families.number(at: operation.object, context), builder.kinds[number] != .entity else {
        continue
      }
      let family = builder.families.all[number]
      let keys = builder.families.properties(of: family).map(\.key)
      let maybe = keys.first { UIDRule.unsure.contains($0.lowercased()) }
      let parts = operation.raw.pathParameters.filter(keys.contains)
      let choice = parts.count > 1 ? parts.joined(separator: ", ") : maybe
      let advice = choice.map { " If '\($0)' is one, say so: \"choices\": {\"\(family.name).uid\": \"\($0)\"}." } ?? ""
      // A value has a function; only an object may be an entity that nobody knows for one.
      guard choice != nil || builder.kinds[number] == .embedded else { continue }
      findings.note(
        .open, operation.raw.place.name,
        "'\(operation.raw.name)' responds with '\(family.name)', which has no uid and so is no entity.\(advice)")
    }
  }

  private static func statistics(_ model: SchemaModel, _ examples: ExampleCases) -> Statistics {
    var statistics = Statistics()
    statistics.examples = examples.total
    statistics.examplesRead = examples.all.count { $0.isOfDocument }
    statistics.examplesMade = examples.all.count - statistics.examplesRead
    statistics.entities = model.entities.count
    statistics.structs = model.structs.count
    statistics.enums = model.enums.count
    statistics.properties = model.entities.reduce(0) { $0 + $1.properties.count }
    statistics.open = model.entities.reduce(0) { $0 + $1.properties.count { $0.choose != nil } }
    statistics.calls = model.requests.count + model.entities.reduce(0) { $0 + ($1.requests?.calls.count ?? 0) }
    return statistics
  }
}
