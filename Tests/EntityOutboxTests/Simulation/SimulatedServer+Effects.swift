import EntityClient
import HTTPFoundation

// The effects of requests.

extension SimulatedServer {
  static func code(of call: Call, _ state: State) -> String {
    if call.parts.count > 1 { return state.ever[call.path] ?? call.parts[1] }
    return call.fields["code"]?.string ?? call.query.first?.value ?? ""
  }

  static func act(_ call: Call, _ state: inout State) -> Answer {
    if let known = call.key.flatMap({ state.keys[$0] }) { return known }
    let answer = work(call, &state)
    if let key = call.key { state.keys[key] = answer }
    return answer
  }

  private static func answer(_ status: Int, _ row: Row?, _ state: State) -> Answer {
    Answer(status: status, body: row.map { shown($0, state).value.rawBytes } ?? Data(), version: row?.version)
  }

  private static func work(_ call: Call, _ state: inout State) -> Answer {
    guard let table = call.parts.first.flatMap({ SimulatedTable(rawValue: $0) }) else {
      state.violations.append("no such collection: \(call.name)")
      return Answer(status: 404)
    }
    guard call.parts.count > 1 else {
      guard call.method != "POST" else { return create(call, table, &state) }
      return list(call, call.isRefresh ? replicated(table, state) : state.tables[table] ?? [:], state)
    }
    let id = call.parts[1]
    let known = state.tables[table]?[id]
    if state.ever[call.path] == nil, call.method != "PUT", call.method != "GET" {
      state.violations.append("\(call.name): there never was such an object")
    }
    if state.hasVersions, call.method == "PATCH" || call.method == "DELETE", let known, let condition = call.condition,
      condition != "\"\(known.version)\""
    {
      return Answer(status: 412)
    }
    if call.isCommand { return praise(call, id, known, &state) }
    switch call.method {
    case "PUT": return put(call, table, id, known, &state)
    case "PATCH":
      guard known != nil else { return Answer(status: 404) }
      if let problem = problem(call.fields, table, id, call, &state) { return Answer(status: problem) }
      apply(call, table, id, &state)
      return answer(200, state.tables[table]?[id], state)
    case "DELETE":
      remove(table, id, &state)
      return Answer(status: known == nil ? 404 : 204)
    default:
      return answer(known == nil ? 404 : 200, known, state)
    }
  }

  private static func list(_ call: Call, _ table: [String: Row], _ state: State) -> Answer {
    let rows = table.sorted { $0.key < $1.key }.map(\.value).filter { row in
      call.query.allSatisfy { row.fields[$0.name]?.string == $0.value }
    }
    return Answer(status: 200, body: JSONValue(rows.map { shown($0, state).value }).rawBytes)
  }

  private static func shown(_ row: Row, _ state: State) -> JSONObject {
    JSONObject(state.hasReplica ? row.fields.merging(["version": JSONValue(row.version)]) { $1 } : row.fields)
  }

  /// The rows of a collection as the replica has them, while the faults last: it lacks new rows, and has older values of the others, but
  /// for links to rows that are gone.
  private static func replicated(_ table: SimulatedTable, _ state: State) -> [String: Row] {
    let rows = state.tables[table] ?? [:]
    guard state.hasReplica, state.failsOneIn > 0 else { return rows }
    var older = (state.replica[table] ?? [:]).filter { $0.value.code == rows[$0.key]?.code }
    func isThere(_ target: SimulatedTable, _ uid: String) -> Bool { state.tables[target]?[uid] != nil }
    for (uid, row) in older {
      for (link, target) in table.links {
        if let pk = row.fields[link]?.int, !isThere(target, String(pk)) { older[uid]?.fields[link] = nil as JSONValue }
      }
      guard let skills = row.fields["skills"]?.array else { continue }
      older[uid]?.fields["skills"] = JSONValue(skills.filter { isThere(.skills, $0.string ?? "") })
    }
    return older
  }

  private static func create(_ call: Call, _ table: SimulatedTable, _ state: inout State) -> Answer {
    let fields = call.fields
    guard let code = fields["code"]?.string, table != .skills else {
      state.violations.append("a POST that makes no object: \(call.name)")
      return Answer(status: 400)
    }
    if let problem = problem(fields, table, nil, call, &state) { return Answer(status: problem) }
    if table == .jobs, fields["firm"]?.int == nil {
      state.violations.append("a job without its firm: \(call.name) \(code)")
      return Answer(status: 400)
    }
    if state.tables[table]?.contains(where: { $0.value.code == code }) == true {
      state.violations.append("\(code) is made a second time: \(call.client): \(call.name)")
    }
    state.last += 1
    let id = String(state.last)
    state.made[code, default: []].append((call.client, id))
    state.ever["\(table.rawValue)/\(id)"] = code
    var row = Row(code: code, fields: empty(table))
    row.fields["id"] = JSONValue(state.last)
    state.tables[table, default: [:]][id] = row
    apply(call, table, id, &state)
    return answer(201, state.tables[table]?[id], state)
  }

  /// The fields of an object of which nothing is known.
  static func empty(_ table: SimulatedTable) -> [String: JSONValue] {
    var fields: [String: JSONValue] = ["name": nil, "note": nil]
    for link in table.links.keys { fields[link] = nil as JSONValue }
    if table == .workers {
      fields.merge(["badge": nil, "count": 0, "score": 0, "mood": nil, "home": nil, "skills": []]) { $1 }
    }
    return fields
  }

  private static func praise(_ call: Call, _ id: String, _ known: Row?, _ state: inout State) -> Answer {
    guard call.parts[2] == "praise", let token = call.fields["token"]?.string else {
      state.violations.append("no such command: \(call.name)")
      return Answer(status: 404)
    }
    guard let known else { return Answer(status: 404) }
    if token.hasPrefix("bad") { return Answer(status: 400) }
    let applied = Applied(writer: call.client, field: "praise", value: token)
    if state.history[known.code]?.contains(applied) == true {
      state.violations.append("the command \(token) came twice")
    }
    state.history[known.code, default: []].append(applied)
    state.tables[.workers]?[id]?.fields["mood"] = JSONValue(token)
    state.tables[.workers]?[id]?.version += 1
    return answer(200, state.tables[.workers]?[id], state)
  }

  private static func put(
    _ call: Call, _ table: SimulatedTable, _ id: String, _ known: Row?, _ state: inout State
  ) -> Answer {
    let fields = call.fields
    guard table == .skills, let code = fields["code"]?.string else {
      state.violations.append("a PUT that makes no object: \(call.name)")
      return Answer(status: 400)
    }
    if let problem = problem(fields, table, id, call, &state) { return Answer(status: problem) }
    state.ever[call.path] = code
    if known == nil {
      let version = (state.gone[call.path] ?? 0) + 1
      state.tables[table, default: [:]][id] = Row(code: code, fields: ["id": JSONValue(id)], version: version)
    }
    for field in table.fields where fields[field] == nil {
      state.tables[table]?[id]?.fields[field] = nil as JSONValue
    }
    apply(call, table, id, &state)
    return answer(known == nil ? 201 : 200, state.tables[table]?[id], state)
  }

  /// The status of a refusal; `nil` for a body that is taken.
  private static func problem(
    _ fields: [String: JSONValue], _ table: SimulatedTable, _ id: String?, _ call: Call, _ state: inout State
  ) -> Int? {
    var targets: [(SimulatedTable, String)] = []
    for (link, target) in table.links {
      guard let value = fields[link], !value.isNull else { continue }
      targets.append((target, value.int.map(String.init) ?? value.string ?? "\(value)"))
    }
    for skill in fields["skills"]?.array ?? [] { targets.append((.skills, skill.string ?? "\(skill)")) }
    for worker in fields["workers"]?.array ?? [] where table == .skills {
      targets.append((.workers, worker.int.map(String.init) ?? "\(worker)"))
    }
    for (target, uid) in targets where state.ever["\(target.rawValue)/\(uid)"] == nil {
      state.violations.append("\(call.name) names the unknown \(target.rawValue)/\(uid)")
      return 400
    }
    if targets.contains(where: { state.tables[$0.0]?[$0.1] == nil }) { return 422 }
    if fields.values.contains(where: { $0.string?.hasPrefix("bad") == true }) { return 400 }
    if let badge = fields["badge"]?.string,
      state.tables[table]?.contains(where: { $0.key != id && $0.value.fields["badge"]?.string == badge }) == true
    {
      return badge.hasSuffix("0") ? 409 : 422
    }
    return nil
  }

  private static func apply(_ call: Call, _ table: SimulatedTable, _ id: String, _ state: inout State) {
    guard let code = state.tables[table]?[id]?.code else { return }
    state.tables[table]?[id]?.version += 1
    let own: Set = ["id", "workers", "version"]
    for (field, value) in call.fields.sorted(by: { $0.key < $1.key }) where !own.contains(field) {
      state.tables[table]?[id]?.fields[field] = value
      var text = value.string ?? value.int.map(String.init) ?? "null"
      if field == "home" { text = value.object?.value["city"]?.string ?? "null" }
      guard field == "home" || table.fields.contains(field) else { continue }
      state.history[code, default: []].append(Applied(writer: call.client, field: field, value: text))
    }
    let members = call.fields[table == .skills ? "workers" : "skills"]?.array
    if let members {
      let target = table == .skills ? SimulatedTable.workers : .skills
      let codes = members.compactMap { state.ever["\(target.rawValue)/\($0.string ?? $0.int.map(String.init) ?? "")"] }
      state.lists.append(ListWrite(writer: call.client, owner: code, members: Set(codes)))
    }
    guard table == .skills, let workers = members else { return }
    let uids = Set(workers.compactMap { $0.int.map(String.init) })
    for worker in (state.tables[.workers] ?? [:]).keys {
      var skills = (state.tables[.workers]?[worker]?.fields["skills"]?.array ?? []).filter { $0.string != id }
      if uids.contains(worker) { skills.append(JSONValue(id)) }
      put(JSONValue(skills), "skills", .workers, worker, &state)
    }
  }

  /// Changes a field of another object than the one that a request is about.
  private static func put(
    _ value: JSONValue, _ field: String, _ table: SimulatedTable, _ id: String, _ state: inout State
  ) {
    guard state.tables[table]?[id]?.fields[field] != value else { return }
    state.tables[table]?[id]?.fields[field] = value
    state.tables[table]?[id]?.version += 1
  }

  static func remove(_ table: SimulatedTable, _ id: String, _ state: inout State) {
    if let row = state.tables[table]?.removeValue(forKey: id) { state.gone["\(table.rawValue)/\(id)"] = row.version }
    func matches(_ value: JSONValue?) -> Bool { value?.int.map(String.init) == id }
    switch table {
    case .firms:
      for (job, row) in state.tables[.jobs] ?? [:] where matches(row.fields["firm"]) { remove(.jobs, job, &state) }
      for (worker, row) in state.tables[.workers] ?? [:] where matches(row.fields["firm"]) {
        put(nil as JSONValue, "firm", .workers, worker, &state)
      }
    case .workers:
      for (firm, row) in state.tables[.firms] ?? [:] where matches(row.fields["head"]) {
        put(nil as JSONValue, "head", .firms, firm, &state)
      }
    case .skills:
      for (worker, row) in state.tables[.workers] ?? [:] {
        let skills = (row.fields["skills"]?.array ?? []).filter { $0.string != id }
        put(JSONValue(skills), "skills", .workers, worker, &state)
      }
    case .jobs: break
    }
  }
}
