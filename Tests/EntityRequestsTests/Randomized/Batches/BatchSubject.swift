import EntityClient
import Synchronization
import TestSupport
import HTTPFoundation

@testable import EntityRequests
@testable import EntityStore

/// One store that a history runs on.
@MainActor final class BatchSubject {
  let store: EntityStore
  let usesMain: Bool
  private var numbers: [Int: RequestNumber] = [:]
  private let adapter = BatchAdapter()
  private let client: Client
  private let watcher: BatchWatcher
  private var names = BatchNames()
  private var rowsWritten = 0

  var schema: SchemaModel { store.core.schema }

  init(_ entities: [any ManagedEntity.Type], _ profile: BatchProfile, rowsInBatch: Int) throws {
    var options = StoreOptions()
    options.rowsInBatch = rowsInBatch
    options.author = "test"
    if profile.hasHistory { options.history = .keepingAll }
    store = try EntityStore(.inMemory, entities: entities, busyTimeout: .seconds(600), options: options)
    client = try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/")
    usesMain = profile.usesMain
    if profile.hasUndo { store.main.undoManager.limit = .saves(20) }
    watcher = BatchWatcher(store)
  }

  /// Goes a step, and says what came of it.
  func run(_ step: BatchStep) async throws -> BatchReport {
    var report = BatchReport()
    rowsWritten = 0
    if usesMain { try await watcher.begin() }
    do {
      let lines = try await go(step)
      report.add("result", lines)
    } catch {
      report.fails = true
      report.add("error", BatchReport.lines(of: error))
    }
    report.rowsWritten = rowsWritten
    if usesMain {
      try store.mergeMain()
      // The queries run where they have not run yet, so that all that is to be heard was heard.
      report.add("live queries", watcher.results())
      // Observers hear in a later turn of a result that a read has found.
      for _ in 0..<4 { await Task.yield() }
      report.add("told", watcher.heard())
      report.add("live objects", try watcher.values())
    }
    for (name, rows) in try await tables() { report.add("table \(name)", rows) }
    report.add("commits", await watcher.commits(upTo: try await generation()))
    let models = schema.entities
    names.note(try await store.read { try BatchNames.read(models, $0.connection) })
    return names.naming(report)
  }

  private func go(_ step: BatchStep) async throws -> [String] {
    switch step {
    case .response(let response): return try await receive(response)
    case .send(let number, let isWrite):
      if numbers[number] == nil { numbers[number] = store.core.requests.begin(isWrite: isWrite) }
      return []
    case .change(let change, let place): return try await make(change, in: place)
    case .save(let overwrites):
      guard usesMain else { return [] }
      if overwrites { try await store.main.save(conflicts: .mine) } else { try await store.main.save() }
      return []
    case .discard:
      if usesMain { store.main.rollback() }
      return []
    case .undo: return usesMain ? ["\(try await store.main.undoManager.undo())"] : []
    case .redo: return usesMain ? ["\(try await store.main.undoManager.redo())"] : []
    case .deletion(let entity, let row):
      guard let type = schema.entities[entity].type as? any RemoteEntity.Type else { return [] }
      return try await deleteRow(type, row)
    case .patch(let entity, let row, let answer):
      guard usesMain, let type = schema.entities[entity].type as? any RemoteEntity.Type else { return [] }
      return try await patch(type, row, answer)
    }
  }

  // MARK: Responses

  private func receive(_ response: BatchResponse) async throws -> [String] {
    guard let entity = response.entity else { return try await receive(EntityDocument.self, response) }
    guard let type = schema.entities[entity].type as? any RemoteEntity.Type else { return [] }
    return try await receive(type, response)
  }

  private func receive<E: RemoteEntity>(_ type: E.Type, _ response: BatchResponse) async throws -> [String] {
    let number = response.number.flatMap { numbers.removeValue(forKey: $0) } ?? store.core.requests.begin()
    defer { store.core.requests.end(number) }
    var options: [ResponseOptions<E>] = []
    if response.mode != .insertOrUpdate { options.append(.upserting(response.mode)) }
    if response.unnamed != .refuse { options.append(.withoutUID(response.unnamed)) }
    if response.overwrites { options.append(.localEdits(.overwrite)) }
    if response.skips { options.append(.skipping) }
    if response.keeps { options.append(.keepingValues) }
    if response.isDryRun { options.append(.dryRun) }
    if response.reportsUnread { options.append(.reportingUnreadKeys) }
    if response.deletesMissing, E.self != EntityDocument.self { options.append(.deleteMissing(in: E.all)) }
    let parts = response.parts.enumerated().map { place, entity in
      part(schema.entities[entity].type, at: "\(BatchResponse.partKey)\(place)", response.deletesMissing)
    }
    if !parts.isEmpty { options.append(.parts(parts)) }
    var all = ResponseOptions<E>(arrayLiteral: [])
    for option in options { all = [all, option] }
    try all.check(nil)
    guard let purpose = try await purpose(of: response, E.self) else { return [] }
    var settling = ResponseSettling<E>(
      core: store.core, purpose: purpose, options: all, envelope: response.isEnveloped ? "data" : .wholeBody,
      sequence: number, decoder: JSONValueDecoder())
    if response.leavesNote {
      let key = AnswerKey("GET \(E.entityName)")
      settling.note = { _ in AnswerDraft(key: key, text: "note", time: 0) }
    }
    let body = try JSONValue(parsing: Data(response.body.json.utf8))
    let answer = HTTPResponse(
      status: 200, headers: ["X-Copies": "3"], url: URL(string: "https://api.example.com/list?page=2"))
    let result = try await settling.settle(answer, body).response
    rowsWritten = result.counts.rowsWritten
    return BatchReport.lines(of: usesMain ? MainMerge.merged(result, #isolation) : result, schema)
  }

  /// - Returns: `nil` where there is no object that the request could be made on.
  private func purpose<E: RemoteEntity>(
    of response: BatchResponse, _ type: E.Type
  ) async throws -> ExchangePurpose<E>? {
    switch response.subject {
    case nil: return .collection
    case .row(let row):
      return try await pk(E.self, row).map { .object(.init(id: EntityID(pk: $0), isUnsaved: false, sent: nil)) }
    case .relationship(let entity, let row, let property):
      return try await pk(schema.entities[entity].type, row).map {
        .relationship(RelationshipOwner(entity: entity, pk: $0, property: property))
      }
    }
  }

  private func part<E: ManagedEntity>(_ type: E.Type, at key: String, _ deletesMissing: Bool) -> ResponsePart {
    .list(type, at: key, missing: deletesMissing ? .deleteMissing(in: E.all) : .keep)
  }

  private func deleteRow<E: RemoteEntity>(_ type: E.Type, _ row: Int) async throws -> [String] {
    guard let pk = try await pk(E.self, row) else { return [] }
    let number = store.core.requests.begin(isWrite: true)
    defer { store.core.requests.end(number) }
    let outcome = try await store.delete(EntityID<E>(pk: pk), sequence: number)
    return ["\(outcome.counts)"] + outcome.skipped.map { "\($0)" }
  }

  private func patch<E: RemoteEntity>(_ type: E.Type, _ row: Int, _ answer: BatchNode?) async throws -> [String] {
    guard let object = try await object(E.self, row) else { return [] }
    adapter.answer(answer)
    let response = try await Client.withClient(client) {
      object.hasUID ? try await object.patchPending() : try await object.postPending()
    }
    return response.map { BatchReport.lines(of: $0, schema) } ?? []
  }

  // MARK: Rows

  /// The row id of the row with the number `row` in the order of uids, modulo how many there are.
  func pk<E: ManagedEntity>(_ type: E.Type, _ row: Int) async throws -> Int64? {
    let model = try schema.model(type)
    return try await store.read { try Self.pk(model, row, $0) }
  }

  nonisolated static func pk(_ model: EntityModel, _ row: Int, _ context: EntityContext) throws -> Int64? {
    let uid = model.uid.map { model.properties[$0].name.quoted } ?? "NULL"
    let pks = try context.connection.rows("SELECT _pk FROM \(model.table) ORDER BY \(uid), 1") { $0.int64(0) }
    return pks.isEmpty ? nil : pks[row % pks.count]
  }

  private func object<E: ManagedEntity>(_ type: E.Type, _ row: Int) async throws -> E? {
    try await pk(type, row).flatMap { try store.main.object(EntityID<E>(pk: $0)) }
  }

  private func make(_ change: BatchChange, in place: BatchPlace) async throws -> [String] {
    let schema = schema
    if place == .main {
      guard usesMain else { return [] }
      return [try change.make(in: store.main, schema)]
    }
    return [try await store.background(as: place == .server ? .server : .app) { try change.make(in: $0, schema) }]
  }

  // MARK: The file

  private func generation() async throws -> Int64 {
    try await store.read { context in try context.connection.generation() }
  }

  /// All tables but those whose content depends on the clock or the order of writes, row by row.
  private func tables() async throws -> [(String, [String])] {
    let models = schema.entities
    return try await store.read { context in
      let connection = context.connection
      let names = try connection.rows(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE '$_search,%' ESCAPE '$' "
          + "AND name NOT IN ('_entity_migrations') AND name NOT LIKE 'sqlite$_%' ESCAPE '$' ORDER BY 1"
      ) { $0.text(0) ?? "" }
      var tables = try names.map { name -> (String, [String]) in
        let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(name)]) { $0.text(0) ?? "" }
        let values = columns.filter { !(name.hasPrefix("_entity_") && $0 == "time") }.map { column in
          // The lines of a commit are in no order where a response has an object twice.
          // Positions are made of row ids; the order that they make is compared by itself.
          let value =
            name == "_entity_changes" && column == "number"
            ? "(number >> 30)" : column.hasPrefix("_position_") ? "(\(column.quoted) IS NULL)" : column.quoted
          return "(quote(\(value)) || CASE WHEN instr(\(value), char(0)) > 0 THEN hex(\(value)) ELSE '' END)"
        }
        let condition = name == "_entity_store" ? "WHERE key NOT IN ('id', 'schema', 'next_pk')" : ""
        let rows = try connection.rows(
          "SELECT \(values.joined(separator: " || ', ' || ")) FROM main.\(name.quoted) \(condition) ORDER BY 1"
        ) { $0.text(0) ?? "" }
        return (name, rows)
      }
      for model in models {
        for position in model.positions.indices {
          guard let link = model.properties[position].positionOf else { continue }
          let (owner, place) = (model.properties[link].name.quoted, model.properties[position].name.quoted)
          let member = model.isLinks ? model.properties[1 - link].name.quoted : "_pk"
          let lists = try connection.rows(
            "SELECT owner || ': ' || group_concat(member) FROM (SELECT \(owner) AS owner, \(member) AS member "
              + "FROM \(model.table) WHERE \(owner) IS NOT NULL "
              + "ORDER BY 1, coalesce(\(place), _pk << 24), 2) GROUP BY owner"
          ) { $0.text(0) ?? "" }
          tables.append(("order of \(model.name) in \(model.properties[link].name)", lists))
        }
      }
      for model in models where model.search != nil {
        let index = "_search,\(model.name)".quoted
        for word in ["alpha", "beta", "2"] {
          let found = try connection.rows(
            "SELECT rowid FROM main.\(index) WHERE \(index) MATCH ? ORDER BY 1", [.text(word)]
          ) { "\($0.int64(0))" }
          tables.append(("search for \(word) in \(model.name)", found))
        }
      }
      return tables
    }
  }
}

/// Gives each request the answer that was set.
private final class BatchAdapter: RequestAdapter {
  private let state = Mutex<Data?>(nil)

  func answer(_ node: BatchNode?) { state.withLock { $0 = node.map { Data($0.json.utf8) } } }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    guard let body = state.withLock({ $0 }) else { return HTTPResponse(status: 204) }
    return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
  }
}
