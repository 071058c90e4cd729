import EntityClient

/// One edit of a unit of work, as a value.
enum SimulatedEdit: Sendable {
  case make(SimulatedTable, code: String, name: String, links: [String: String])
  case set(SimulatedTable, code: String, field: String, token: String)
  case link(SimulatedTable, code: String, field: String, to: String?)
  case skills(code: String, [String])
  /// Adds to the score.
  case add(code: String, Int)
  case delete(SimulatedTable, code: String)

  /// - Returns: Whether the edit was made: its objects may be gone.
  func apply(in context: EntityContext) throws -> Bool {
    switch self {
    case .make(let table, let code, let name, let links):
      switch table {
      case .firms: try context.fill(context.insert(Firm.self), code, name)
      case .workers:
        let worker = try context.insert(Worker.self)
        context.fill(worker, code, name)
        worker.firm = try links["firm"].flatMap { try context.coded(Firm.self, $0) }
      case .jobs:
        guard let firm = try links["firm"].flatMap({ try context.coded(Firm.self, $0) }) else { return false }
        let job = try context.insert(Job.self)
        context.fill(job, code, name)
        job.firm = firm
      case .skills:
        let skill = try context.insert(Skill.self)
        skill.uid = "u-\(code)"
        context.fill(skill, code, name)
      }
      return true
    case .set(let table, let code, let field, let token):
      switch table {
      case .firms: return try context.set(Firm.self, code, field, token)
      case .jobs: return try context.set(Job.self, code, field, token)
      case .skills: return try context.set(Skill.self, code, field, token)
      case .workers:
        guard let worker = try context.coded(Worker.self, code) else { return false }
        switch field {
        case "badge": worker.badge = token
        case "count": worker.count = Int(token) ?? 0
        case "home":
          if let home = worker.home {
            home.city = token
          } else {
            let home = Home()
            home.city = token
            worker.home = home
          }
        default: return try context.set(Worker.self, code, field, token)
        }
        return true
      }
    case .link(let table, let code, _, let target):
      switch table {
      case .firms:
        guard let firm = try context.coded(Firm.self, code) else { return false }
        let head = try target.flatMap { try context.coded(Worker.self, $0) }
        guard head != nil || target == nil else { return false }
        firm.head = head
      case .workers:
        guard let worker = try context.coded(Worker.self, code) else { return false }
        let firm = try target.flatMap { try context.coded(Firm.self, $0) }
        guard firm != nil || target == nil else { return false }
        worker.firm = firm
      case .jobs:
        guard let job = try context.coded(Job.self, code),
          let firm = try target.flatMap({ try context.coded(Firm.self, $0) })
        else { return false }
        job.firm = firm
      case .skills: return false
      }
      return true
    case .skills(let code, let skills):
      guard let worker = try context.coded(Worker.self, code) else { return false }
      worker.skills = try skills.compactMap { try context.coded(Skill.self, $0) }
      return true
    case .add(let code, let count):
      guard let worker = try context.coded(Worker.self, code) else { return false }
      worker.score += count
      return true
    case .delete(let table, let code):
      switch table {
      case .firms: return try context.remove(Firm.self, code)
      case .workers: return try context.remove(Worker.self, code)
      case .jobs: return try context.remove(Job.self, code)
      case .skills: return try context.remove(Skill.self, code)
      }
    }
  }
}

extension EntityContext {
  fileprivate func fill<E: SimulatedEntity>(_ object: E, _ code: String, _ name: String) {
    object.code = code
    object.name = name
  }

  /// The object with a code. A response to another request may have made a second one, before the first has its uid.
  fileprivate func coded<E: SimulatedEntity>(_ type: E.Type, _ code: String) throws -> E? {
    let found = try fetch(E.coded(code))
    return found.first { $0.isMadeHere } ?? found.first
  }

  fileprivate func set<E: SimulatedEntity>(_ type: E.Type, _ code: String, _ field: String, _ token: String) throws
    -> Bool
  {
    guard let object = try coded(type, code) else { return false }
    if field == "name" { object.name = token } else { object.note = token }
    return true
  }

  fileprivate func remove<E: SimulatedEntity>(_ type: E.Type, _ code: String) throws -> Bool {
    guard let object = try coded(type, code) else { return false }
    try delete(object)
    return true
  }

  /// The worker with a code.
  func worker(_ code: String) throws -> EntityID<Worker>? { try coded(Worker.self, code)?.entityID }

  private func codes<E: SimulatedEntity>(of type: E.Type) throws -> [(AnyEntityID, String)] {
    try fetch(E.all).map { ($0.entityID.untyped, $0.code) }
  }

  /// The codes of all objects.
  func allCodes() throws -> [AnyEntityID: String] {
    let all = try codes(of: Firm.self) + codes(of: Worker.self) + codes(of: Job.self) + codes(of: Skill.self)
    return Dictionary(all) { $1 }
  }

  private func code<E: SimulatedEntity>(_ type: E.Type, _ pk: Int64) throws -> String? {
    try fetch(E.all).first { $0.entityID.pk == pk }?.code
  }

  /// The code of an object with an entry; `nil` where it was deleted.
  func code(of id: AnyEntityID) throws -> String? {
    switch SimulatedTable(id.entityName) {
    case .firms: try code(Firm.self, id.pk)
    case .workers: try code(Worker.self, id.pk)
    case .jobs: try code(Job.self, id.pk)
    case .skills: try code(Skill.self, id.pk)
    case nil: nil
    }
  }
}
