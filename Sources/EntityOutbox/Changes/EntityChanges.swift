import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

/// Claims the changes of one entity's objects.
protocol ChangeHandler: Sendable {
  var planning: PlanningRules { get }
  /// The requests that carry several changes; `nil` where each change has its own.
  var batch: (any OutboxBatch)? { get }

  /// Writes the entry of a line of the plan, and makes its request.
  ///
  /// - Parameters:
  ///   - line: A line that is ready. Its object has the facts that it was planned by.
  ///   - facts: The facts of the object; `nil` where nothing is pending.
  /// - Returns: `nil` where nothing is left to send.
  /// - Throws: The errors of rules; `RequestError` for a request that can't be made; ``NotReady``.
  func claim(_ line: PlannedLine, _ facts: PendingFacts?, in unit: ClaimingUnit) throws -> Claim?

  /// Whether its requests hold for one version of an object, and whether 409 says that the server has another one.
  var condition: (isSet: Bool, isInBody: Bool) { get }

  /// Reads an object, whose edits are merged with the server's values.
  ///
  /// - Parameter lost: The entry of an update whose earlier try may have arrived; the response ends its request.
  func reload(_ key: RowKey, ending lost: Int64?) async throws

  /// Asks the server for an object that it has by an earlier try of its create.
  ///
  /// - Parameter number: The entry of the create.
  /// - Returns: `nil` where the entry was settled meanwhile.
  func questionAfterCreate(_ number: Int64) async throws -> Claim?

  /// Notes that the server has the change of an entry whose answer was lost.
  ///
  /// - Parameter uid: The uid that the server gave the object of a create; `nil` for an object that has its own.
  func confirm(_ number: Int64, _ uid: (any ResourceUID)?) async throws

  /// The method and the path of the request of a line; no path where the object has no URL yet.
  /// - Parameter command: The name of a command.
  func shown(_ line: PlannedLine, command: String?, uid: String?) -> (method: String, path: String?)

  /// The version that the request of a line holds for; `nil` where it holds for each, and where the version is read first
  /// or stands in the body.
  ///
  /// - Parameter known: The entry of the line.
  func version(of line: PlannedLine, _ known: OutboxEntry?, in context: EntityContext) throws -> String?
}

struct EntityChanges<E: OutboxEntity>: ChangeHandler {
  let model: EntityModel
  let core: StoreCore
  let client: Client
  let settings: OutboxSettings<E>
  let desk: UploadDesk
  /// The types of related objects, where bodies name them.
  let types: [String: String]
  let writes: ObjectWrites<E>

  init(_ type: E.Type, _ client: Client, _ core: StoreCore, _ desk: UploadDesk) throws {
    model = try core.schema.model(type)
    (self.client, self.core, self.desk, writes) = (client, core, desk, ObjectWrites(client, core))
    settings = type.outbox.settings
    types = settings.form?.resourceType == nil ? [:] : BodyForm.types(of: model, core.schema)
    if let name = settings.uploads.keys.sorted().first(where: { settings.commands[$0] != nil }) {
      throw RequestError(
        .invalidRequest, "'\(model.name)' has a command and an attachment '\(name)': give one another name.")
    }
    if let policy = settings.merging {
      core.merging.set(policy.answerRule(core.schema), of: model.number)
      if policy.comparesTimes { core.merging.clock.want() }
    }
    try checkLookUp()
    if let condition = settings.condition { try keepVersions(condition) }
  }

  /// - Throws: `RequestError` for a rule that no create could be looked up by.
  private func checkLookUp() throws {
    guard let lookUp = settings.lookUp else { return }
    guard let index = lookUp.index(model) else {
      throw RequestError(.invalidRequest, "The property that looks up '\(model.name)' is none that it stores.")
    }
    try E.checkLookUp(by: model.properties[index], lookUp.place, client)
  }

  /// Has the store keep the versions of objects, for their deletions.
  ///
  /// - Throws: `RequestError` for an attribute that can't be the version.
  private func keepVersions(_ condition: OutboxVersion<E>) throws {
    guard condition.place != .etag else {
      core.merging.keepVersions(of: model.number, .responses(takesWeak: condition.isWeak))
      return
    }
    guard let index = condition.index(model), case .attribute(let type, _) = model.properties[index].kind else {
      throw RequestError(
        .invalidRequest, "The version of '\(model.name)' is no attribute that it stores: \(condition.advice).")
    }
    guard condition.place == .attribute else { return }
    let property = model.properties[index]
    guard property.isSentAsStored, !type.facts.isWord else {
      throw RequestError(
        .invalidRequest,
        "The version of '\(model.name)', '\(property.name)', is neither an integer nor a text as the server has it, so that "
          + "a deletion would hold for any version: declare it as Int or String, without a transformer.")
    }
    core.merging.keepVersions(of: model.number, .attribute(index, isWeak: condition.isWeak))
  }

  var planning: PlanningRules { settings.planning }
  var batch: (any OutboxBatch)? { settings.batch }
  /// The key that an object stands under in a body; `nil` where it is the whole body.
  var root: String? { settings.form?.root ?? E.requestRootKey }
  var condition: (isSet: Bool, isInBody: Bool) { (settings.condition != nil, settings.condition?.place == .body) }

  func claim(_ line: PlannedLine, _ facts: PendingFacts?, in unit: ClaimingUnit) throws -> Claim? {
    let known = try line.entry.flatMap { try unit.rows.outbox.entry(number: $0) }
    switch line.action {
    case .create, .update, .command:
      if let known, line.isFrozen || hasVersionThatCounts(known) {
        if !line.isFrozen, try isTakenBack(known, in: unit) { throw NeedsReading(lost: known) }
        return try again(known, line, in: unit)
      }
      if line.action == .command { return try known.flatMap { try command($0, line, in: unit) } }
      return try change(line.action == .create ? .create : .update, line, facts, known, in: unit)
    case .deletion: return try deletion(line, facts, known, in: unit)
    case .lookUp: return try known.flatMap { try lookUp($0, line, in: unit) }
    case .read: return try known.flatMap { try read($0, line, in: unit) }
    }
  }

  /// Whether the request of an entry may have arrived, and has the version in its body: a new body would have the version that
  /// another response has brought since, which the edit is not based on.
  private func hasVersionThatCounts(_ known: OutboxEntry) -> Bool {
    known.state == .sending && FrozenRequest(known)?.hasVersion == true
  }

  // MARK: Entries

  func started(
    _ known: OutboxEntry?, _ line: PlannedLine, _ kind: OutboxEntry.Kind, _ unit: ClaimingUnit
  ) -> OutboxEntry {
    var entry = known ?? OutboxEntry(key: line.key, kind: kind, state: .sending, time: unit.now)
    entry.kind = kind
    return entry
  }

  func claim(
    _ entry: inout OutboxEntry, _ line: PlannedLine, _ write: ObjectWrite<E>, alsoEnding others: [Int64] = [],
    in unit: ClaimingUnit
  ) throws -> Claim {
    let isSecondTry = entry.state == .refused && entry.next != nil
    (entry.state, entry.time, entry.next) = (.sending, unit.now, nil)
    entry.attempts += 1
    if !line.isFrozen {
      var frozen = FrozenRequest(write.request)
      if entry.kind == .update, condition.isInBody { frozen.hasVersion = true }
      entry.request = try frozen.text
      entry.body = write.request.httpBody
    }
    if entry.number == 0 {
      entry.number = try unit.rows.outbox.insert(entry)
    } else {
      try unit.rows.outbox.update(entry)
    }
    let end = ending(entry.number, others)
    let (method, url) = (write.request.httpMethod ?? "", write.request.url?.absoluteString ?? "")
    return Claim(
      entry: entry, action: line.action, method: method, url: url, isFrozen: line.isFrozen,
      isSecondTry: isSecondTry, send: { .taken(status: try await write.run(ending: end, through: $0).status) },
      end: { write.end() })
  }

  func ending(_ number: Int64, _ others: [Int64] = []) -> OutboxEntryEnd {
    guard let verdict = settings.verdict else { return OutboxEntryEnd(number: number, others: others) }
    return OutboxEntryEnd(number: number, others: others) { verdict($0)?.reason }
  }

  /// - Parameter object: `nil` for one that was deleted here.
  /// - Throws: ``NeedsReading``.
  func setCondition(on request: inout URLRequest, _ object: E?, _ key: RowKey, in unit: ClaimingUnit) throws {
    guard let condition = settings.condition else { return }
    switch condition.place {
    case .etag:
      guard let version = try unit.rows.outbox.version(of: key) else { throw NeedsReading() }
      try request.setHeaders(["If-Match": version])
    case .attribute:
      guard let object else {
        if let version = try unit.rows.outbox.version(of: key) { try request.setHeaders(["If-Match": version]) }
        return
      }
      guard let index = condition.index(model), let text = try object.exportedText(index) else { return }
      try request.setHeaders(["If-Match": EntityTag.tag(of: text, isWeak: condition.isWeak)])
    case .body: break
    }
  }

  func setKey(_ key: String?, on request: inout URLRequest) throws {
    guard let key, let header = settings.keyHeader else { return }
    try request.setHeaders([header: key])
  }
}
