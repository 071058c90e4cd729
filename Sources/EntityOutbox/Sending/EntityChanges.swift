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
  /// - Parameter lost: The entry of an update whose earlier try may have arrived; the response ends it.
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
}

struct EntityChanges<E: OutboxEntity>: ChangeHandler {
  let model: EntityModel
  let core: StoreCore
  let client: Client
  let settings: OutboxSettings<E>
  let desk: UploadDesk
  /// The types of related objects, where bodies name them.
  private let types: [String: String]

  init(_ type: E.Type, _ client: Client, _ core: StoreCore, _ desk: UploadDesk) throws {
    model = try core.schema.model(type)
    (self.client, self.core, self.desk) = (client, core, desk)
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
    guard property.isSentAsStored, type != .uuid else {
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
      if let known, line.isFrozen || hasVersionThatCounts(known) { return try again(known, line, in: unit) }
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

  // MARK: Creates and updates

  private func change(
    _ kind: OutboxChange.Kind, _ line: PlannedLine, _ facts: PendingFacts?, _ known: OutboxEntry?,
    in unit: ClaimingUnit
  ) throws -> Claim? {
    let creates = kind == .create
    guard let facts, let object = try unit.context.object(EntityID<E>(pk: line.key.pk)) else { return nil }
    let (method, carrying) = creates ? settings.creating : settings.updating
    // The effects of commands are no edits.
    let pending = object.sendableColumns(withUID: creates).subtracting(try unit.rows.outbox.effects(on: line.key))
    guard creates || !pending.isEmpty else { return try endUncarried(facts, in: unit) }
    var mask = (carrying == .all ? object.wholeColumns(withUID: creates) : pending).subtracting(line.leftOut)
    if !creates, settings.condition?.place == .body, let index = settings.condition?.index(model) { mask.insert(index) }
    if !creates { try checkLoaded(object, mask, edited: pending) }
    let uid = uid(of: object)
    let key = creates ? settings.keyHeader.map { _ in UUID().uuidString } : nil
    var request: URLRequest
    if let make = settings.requests[kind] {
      let change = OutboxChange(
        kind: kind, properties: mask.indices.map { model.properties[$0].name }, idempotencyKey: key)
      do {
        request = try Client.withClient(client) { try make(object, change) }
      } catch let error as RequestError where error.kind == .missingUID {
        // Another object of the request has no uid yet, and may get one.
        throw NotReady(problem: error.message)
      }
    } else {
      request = try object.changeRequest(method, mask, client) { [form = settings.form] body in
        form?.body(body, uid: creates ? nil : uid, types)
      }
    }
    try setKey(key, on: &request)
    if !creates {
      try setCondition(on: &request, object, line.key, in: unit)
      // Until the end of a request that may have arrived, no other value of the server is merged. A response may have brought a
      // newer version meanwhile, which the edit is not based on: the server must refuse it, and then the object is read.
      if let known, known.state == .sending, let version = FrozenRequest(known)?.ifMatch {
        try request.setHeaders(["If-Match": version])
      }
    } else if method == .put, settings.condition.map({ $0.place != .body }) == true {
      // The create may be sent twice, and somebody may have edited the object in between.
      try request.setHeaders(["If-None-Match": "*"])
    }
    let write = ObjectWrite<E>(
      request, of: object, carrying: mask, under: root, creates: creates, client, core)
    do {
      var entry = started(known, line, creates ? .create : .update, unit)
      entry.uid = uid
      entry.edited = facts.number
      entry.idempotencyKey = key
      entry.sent = try write.sent?.stored(core.schema)
      return try claim(&entry, line, write, in: unit)
    } catch {
      write.end()
      throw error
    }
  }

  /// The request of an update would replace what the server has with values that nobody knows.
  ///
  /// - Throws: `RequestError` for properties that no response had: a person sees the update as refused.
  private func checkLoaded(_ object: E, _ mask: ColumnMask, edited: ColumnMask) throws {
    // An edited attribute or link has its whole value. An edited list may lack members that no response had.
    let whole = edited.subtracting(model.coverage == nil ? ColumnMask() : model.lists)
    let unknown = object.lacking.intersection(mask).subtracting(whole)
    guard !unknown.isEmpty else { return }
    let names = unknown.indices.map { "'\(model.properties[$0].name)'" }.joined(separator: ", ")
    throw RequestError(
      .invalidRequest,
      "The request would replace \(names) of '\(model.name)' on the server, which was never loaded: load() it, and retry."
    )
  }

  /// No body carries the edits of an update. Those that the server has need none.
  ///
  /// - Throws: `RequestError` for other edits: a person sees them as refused.
  private func endUncarried(_ facts: PendingFacts, in unit: ClaimingUnit) throws -> Claim? {
    let left = facts.edited.subtracting(try unit.rows.outbox.endNaming(of: facts.key))
    guard !left.isEmpty else { return nil }
    let names = left.indices.map { "'\(model.properties[$0].name)'" }.joined(separator: ", ")
    throw RequestError(
      .invalidRequest,
      "No request of the outbox carries an edit of \(names). Drop it, or send it with a request of your own.")
  }

  /// Sends the request of an entry once more, byte for byte.
  private func again(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    guard let frozen = FrozenRequest(known) else {
      throw RequestError(.invalidRequest, "The entry of the outbox has no request that can be read.")
    }
    var request = try frozen.request(E.self, known.body, client)
    if frozen.isStreamed == true { request = try streamed(known, line, in: unit) }
    try frozen.setCondition(on: &request)
    try setKey(known.idempotencyKey, on: &request)
    let write = try write(request, known, in: unit)
    var entry = started(known, line, known.kind, unit)
    entry.edited = known.edited
    return try claim(&entry, line, write, in: unit)
  }

  /// A write whose edits the entry has.
  func write(_ request: URLRequest, _ known: OutboxEntry, in unit: ClaimingUnit) throws -> ObjectWrite<E> {
    let pk = known.key.pk
    // Where another response has ended the insertion, all properties have the number of its last edit. No update could
    // send the uid once more.
    let editedSince = try unit.rows.outbox.editedSince(known.edited, known.key).subtracting(model.identity)
    let sent = known.sent.flatMap {
      SentEdits(
        stored: $0, model, pk: pk, core.schema, endsInsertion: known.kind == .create, editedSince: editedSince)
    }
    if let sent { core.hear(sent) }
    return ObjectWrite(
      request, of: EntityID(pk: pk), sent, awaitsUID: known.kind == .create && known.uid == nil,
      creates: known.kind == .create, client, core)
  }

  // MARK: Deletions and reads

  private func deletion(
    _ line: PlannedLine, _ facts: PendingFacts?, _ known: OutboxEntry?, in unit: ClaimingUnit
  ) throws -> Claim? {
    guard let facts, let uid = try unit.context.pendingEdits.deletedUID(line.key) else { return nil }
    let address = try unit.context.pendingEdits.deletedAddress(line.key)
    var request = try E.objectRequest(.delete, uid: uid, at: address, client, model)
    try setCondition(on: &request, nil, line.key, in: unit)
    let write = ObjectWrite<E>(deletionBy: request, of: EntityID(pk: line.key.pk), client, core)
    var entry = started(known, line, .deletion, unit)
    (entry.uid, entry.edited) = (facts.uid, facts.number)
    return try claim(&entry, line, write, alsoEnding: uploads(with: line.key, in: unit), in: unit)
  }

  /// The uploads of an object that is deleted, and of the objects that its deletion deletes.
  private func uploads(with key: RowKey, in unit: ClaimingUnit) throws -> [Int64] {
    try unit.rows.outbox.commands(deletedWith: key).filter { AttachedFile($0) != nil }.map(\.number)
  }

  /// Reads an object whose update had an unknown end and was taken back here.
  private func read(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    guard let object = try unit.context.object(EntityID<E>(pk: line.key.pk)), let uid = object.serverUID else {
      try unit.rows.outbox.remove(numbers: [known.number])
      return nil
    }
    let request = try E.objectRequest(.get, uid: uid, of: object, client, model)
    let write = ObjectWrite<E>(request, of: object.entityID, nil, awaitsUID: false, creates: false, client, core)
    return Claim(
      entry: known, action: line.action, method: "GET", url: request.url?.absoluteString ?? "",
      send: { _ in .taken(status: try await write.run(ending: OutboxEntryEnd(number: known.number)).status) },
      end: { write.end() })
  }

  func reload(_ key: RowKey, ending lost: Int64?) async throws {
    let write = try await core.unit(
      isDurable: false,
      reading: { context, rows -> ObjectWrite<E>? in
        let object = try context.object(EntityID<E>(pk: key.pk))
        guard let uid = try object?.serverUID ?? context.pendingEdits.deletedUID(key) else { return nil }
        let address = try object == nil ? context.pendingEdits.deletedAddress(key) : nil
        let request = try E.objectRequest(.get, uid: uid, of: object, at: address, client, model)
        return ObjectWrite<E>(
          request, of: EntityID(pk: key.pk), nil, awaitsUID: false, creates: false, client, core)
      })
    guard let write else { return }
    defer { write.end() }
    let response = try await write.run(ending: OutboxEntryEnd(number: lost ?? 0, mayHaveArrived: lost != nil))
    let version: String?
    switch settings.condition?.place {
    case .etag: version = response.headers["ETag"]
    case .attribute:
      let text = settings.condition?.index(model).flatMap { write.text(of: model.properties[$0], in: response) }
      version = text.map { EntityTag.tag(of: $0, isWeak: settings.condition?.isWeak == true) }
    case .body, nil: return
    }
    // The store took in nothing of an object that was deleted here, and not its version either.
    try await core.unit(
      isDurable: false,
      reading: { context, rows in
        guard try context.object(EntityID<E>(pk: key.pk)) == nil else { return }
        try rows.outbox.setVersion(version, of: key)
      })
  }

  // MARK: A person's word

  func confirm(_ number: Int64, _ uid: (any ResourceUID)?) async throws {
    let text = try uid.map { try $0.uidSegments(of: E.self) }
    let claimed = try await core.unit(
      isDurable: false,
      reading: { context, rows -> (write: ObjectWrite<E>, isNew: Bool)? in
        guard let known = try rows.outbox.entry(number: number), known.state == .sending else { return nil }
        let unit = ClaimingUnit(context: context, rows: rows, now: known.time)
        return (try write(URLRequest(url: client.baseURL), known, in: unit), known.kind == .create && known.uid == nil)
      })
    guard let (write, isNew) = claimed else { return }
    defer { write.end() }
    guard !isNew || text != nil || model.uid == nil else {
      throw RequestError(.missingUID, "Name the uid that the server gave the object: confirm(item, .happened(uid:)).")
    }
    try await write.confirm(uid: text, ending: OutboxEntryEnd(number: number))
  }

  // MARK: Entries

  private func started(
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
    return OutboxEntryEnd(number: number, others: others) { verdict($0)?.problem }
  }

  /// - Parameter object: `nil` for one that was deleted here.
  /// - Throws: ``NeedsReading``.
  private func setCondition(on request: inout URLRequest, _ object: E?, _ key: RowKey, in unit: ClaimingUnit) throws {
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

  func shown(_ line: PlannedLine, command: String?, uid: String?) -> (method: String, path: String?) {
    let base = E.basePath.hasSuffix("/") ? String(E.basePath.dropLast()) : E.basePath
    let own = uid.map { E.shownPath(uid: $0) }
    switch line.action {
    case .create:
      let method = settings.creating.method
      return (method.rawValue, method == .post ? base : own)
    case .update: return (settings.updating.method.rawValue, own)
    case .deletion: return ("DELETE", own)
    case .command:
      guard let rule = command.flatMap({ settings.uploads[$0] }) else { return ("POST", own) }
      return (rule.method(.create).rawValue, rule.path.hasPrefix("/") ? rule.path : own.map { "\($0)/\(rule.path)" })
    case .lookUp: return ("GET", base)
    case .read: return ("GET", own)
    }
  }
}
