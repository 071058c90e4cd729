import EntityClient
import HTTPFoundation

/// The offers of the simulated server. The rules of the entities follow them.
struct SimulatedService: Sendable, CustomStringConvertible {
  /// The way to learn the end of a create whose answer was lost.
  enum Recovery: String, CaseIterable, Sendable { case keys, lookUp, neither }

  var recovery = Recovery.neither
  /// Whether objects have versions, in `ETag`.
  var hasVersions = false
  /// Whether a replica answers the reads of whole collections, which lacks the last writes. Bodies have versions then, by which a client
  /// knows the older values.
  var hasReplica = false

  /// The service that the outbox of the present task is made for.
  @TaskLocal static var current = SimulatedService()

  var description: String {
    "\(recovery)\(hasVersions ? " with versions" : "")\(hasReplica ? " with a replica" : "")"
  }

  fileprivate static func rules<E>(code: KeyPath<E, String>, _ more: OutboxRules<E> = .rest) -> OutboxRules<E> {
    let recovery: OutboxRules<E> =
      switch current.recovery {
      case .keys: .idempotencyKey()
      case .lookUp: .lookingUp(by: code)
      case .neither: .rest
      }
    return [recovery, current.hasVersions ? .ifMatch(.etag) : .rest, more]
  }
}

/// A command without an edit. The server notes its token.
struct Praise: OutboxCommand {
  static let name = "praise"
  var token: String

  func request(for worker: Worker) throws -> URLRequest {
    var request = try Worker.request(.post, "\(worker.uid)/praise")
    try request.setJSON(["token": token])
    return request
  }

  func apply(to worker: Worker) { worker.mood = token }
}

/// An entity of the simulation. The code is one of the app, and no two objects ever have the same.
protocol SimulatedEntity: OutboxEntity {
  var code: String { get set }
  var name: String { get set }
  var note: String? { get set }
  static func coded(_ code: String) -> EntityQuery<Self>
}

/// Links to a worker, who links back: a cycle of optional links.
@Entity final class Firm: SimulatedEntity {
  @UID @Key("id") var uid: Int
  var code: String
  var name: String
  var note: String?
  var version: Int?
  var head: Worker?
  @Relationship(inverse: \Worker.firm) var workers: [Worker]
  @Relationship(inverse: \Job.firm, onDelete: .cascade) var jobs: [Job]

  static var versionAttribute: PartialKeyPath<Firm>? { \.version }
  static var basePath: String { "firms" }
  static var outbox: OutboxRules<Firm> { SimulatedService.rules(code: \.code) }
  static func coded(_ code: String) -> EntityQuery<Firm> { Firm.where { $0.code == code } }
}

/// Has an embedded object, a list of many-to-many, a number, commands, and a badge that no two workers of the server
/// share. Increments of the score are merged, a conflict about the note is a person's, and the server decides about the badge.
@Entity final class Worker: SimulatedEntity {
  @UID @Key("id") var uid: Int
  var code: String
  var name: String
  var note: String?
  var version: Int?
  var badge: String?
  var count: Int = 0
  var score: Int = 0
  var mood: String?
  var home: Home?
  var firm: Firm?
  @Relationship(inverse: \Firm.head) var headOf: [Firm]
  @Relationship(inverse: \Skill.workers) var skills: [Skill]

  static var versionAttribute: PartialKeyPath<Worker>? { \.version }
  static var basePath: String { "workers" }
  static var outbox: OutboxRules<Worker> {
    SimulatedService.rules(
      code: \.code,
      [
        .command(Praise.self),
        .merging(
          .byColumn(
            .merge(\Worker.Columns.score) { base, mine, theirs in theirs + (mine - base) },
            .column(\Worker.Columns.note, .fail), .column(\Worker.Columns.badge, .theirs), others: .mine)),
      ])
  }
  static func coded(_ code: String) -> EntityQuery<Worker> { Worker.where { $0.code == code } }
}

@Entity final class Home {
  var city: String
}

/// Requires its firm.
@Entity final class Job: SimulatedEntity {
  @UID @Key("id") var uid: Int
  var code: String
  var name: String
  var note: String?
  var version: Int?
  var firm: Firm

  static var versionAttribute: PartialKeyPath<Job>? { \.version }
  static var basePath: String { "jobs" }
  static var outbox: OutboxRules<Job> { SimulatedService.rules(code: \.code) }
  static func coded(_ code: String) -> EntityQuery<Job> { Job.where { $0.code == code } }
}

/// Has a uid that is made here.
@Entity final class Skill: SimulatedEntity {
  @UID @Key("id") var uid: String
  var code: String
  var name: String
  var note: String?
  var version: Int?
  var workers: [Worker]

  static var versionAttribute: PartialKeyPath<Skill>? { \.version }
  static var basePath: String { "skills" }
  static var outbox: OutboxRules<Skill> { [.creating(.put), .updating(.put, carrying: .all)] }
  static func coded(_ code: String) -> EntityQuery<Skill> { Skill.where { $0.code == code } }
}

let simulatedEntities: [any ManagedEntity.Type] = [Firm.self, Worker.self, Home.self, Job.self, Skill.self]

/// The collections of the server, in the order in which they are read.
enum SimulatedTable: String, CaseIterable, Sendable {
  case firms, skills, workers, jobs

  init?(_ entity: String) {
    guard let table = Self.allCases.first(where: { $0.type.entityName == entity }) else { return nil }
    self = table
  }

  var type: any SimulatedEntity.Type {
    switch self {
    case .firms: Firm.self
    case .skills: Skill.self
    case .workers: Worker.self
    case .jobs: Job.self
    }
  }

  /// The fields with a text or a number.
  var fields: [String] { self == .workers ? ["name", "note", "badge", "count"] : ["name", "note"] }

  /// The links, with the collection that each leads to.
  var links: [String: SimulatedTable] {
    switch self {
    case .firms: ["head": .workers]
    case .workers: ["firm": .firms]
    case .jobs: ["firm": .firms]
    case .skills: [:]
    }
  }
}
