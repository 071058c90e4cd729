import EntityClient
import Synchronization

extension EntityContext {
  /// All objects as texts, by collection and uid, in the form of the server's.
  func image() throws -> [String: String] {
    var image: [String: String] = [:]
    func text(_ value: String?) -> String { value ?? "null" }
    func add(_ table: String, _ uid: String?, _ code: String, _ fields: [String]) {
      let key = uid.map { "\(table)/\($0)" } ?? "\(table) without uid, \(code)"
      image[key] = (image[key].map { $0 + " and " } ?? "") + ([code] + fields).joined(separator: " ")
    }
    for firm in try fetch(Firm.all) {
      add(
        "firms", firm.shownUID, firm.code, [firm.name, text(firm.note), text(firm.head.map { $0.shownUID ?? "new" })])
    }
    for worker in try fetch(Worker.all) {
      add(
        "workers", worker.shownUID, worker.code,
        [
          worker.name, text(worker.note), text(worker.badge), String(worker.count), String(worker.score),
          text(worker.mood), text(worker.home?.city),
          text(worker.firm.map { $0.shownUID ?? "new" }), worker.skills.map(\.uid).sorted().joined(separator: ","),
        ])
    }
    for job in try fetch(Job.all) {
      add("jobs", job.shownUID, job.code, [job.name, text(job.note), job.firm.shownUID ?? "new"])
    }
    for skill in try fetch(Skill.all) { add("skills", skill.uid, skill.code, [skill.name, text(skill.note)]) }
    return image
  }

  /// The values that a screen shows, by code and field. Objects that share a code are left out, as in
  /// ``SimulatedClient/columns(of:)``.
  func columns() throws -> [String: String] {
    var columns: [String: String] = [:]
    var codes: [String: Int] = [:]
    func add(_ code: String, _ name: String, _ note: String?) {
      codes[code, default: 0] += 1
      (columns["\(code).name"], columns["\(code).note"]) = (name, note ?? "null")
    }
    for firm in try fetch(Firm.all) { add(firm.code, firm.name, firm.note) }
    for worker in try fetch(Worker.all) { add(worker.code, worker.name, worker.note) }
    for job in try fetch(Job.all) { add(job.code, job.name, job.note) }
    for (code, count) in codes where count > 1 { (columns["\(code).name"], columns["\(code).note"]) = (nil, nil) }
    return columns
  }
}

extension ManagedEntity {
  fileprivate var shownUID: String? {
    if case .integer(let uid) = serverUID { String(uid) } else { nil }
  }
}

extension SimulatedServer {
  /// All objects as texts; see ``EntityContext/image()``.
  func image() -> [String: String] {
    var image: [String: String] = [:]
    func text(_ value: JSONValue?) -> String {
      guard let value, !value.isNull else { return "null" }
      return value.string ?? value.int.map(String.init) ?? "\(value)"
    }
    for (table, rows) in state.withLock(\.tables) {
      for (uid, row) in rows {
        let fields = row.fields
        var shown = [row.code, text(fields["name"]), text(fields["note"])]
        switch table {
        case .firms: shown.append(text(fields["head"]))
        case .workers:
          let skills = (fields["skills"]?.array ?? []).map { text($0) }.sorted().joined(separator: ",")
          shown += [
            text(fields["badge"]), text(fields["count"]), text(fields["score"]), text(fields["mood"]),
            text(fields["home"]?.object?.value["city"]),
            text(fields["firm"]), skills,
          ]
        case .jobs: shown.append(text(fields["firm"]))
        case .skills: break
        }
        image["\(table.rawValue)/\(uid)"] = shown.joined(separator: " ")
      }
    }
    return image
  }
}
