import EntityClient
import Foundation

// A graph with relationships of each kind, for exports: cycles, embedded objects, ordered and sorted lists.

@Entity final class RopeKnot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var price: Decimal?
  @Transformed(by: DateOnly.self) var day: Date?
  @Key("meta.tags") var tags: Set<String>
  var extra: JSONValue?
  var next: RopeKnot?
  @Relationship(inverse: \RopeKnot.next) var previous: [RopeKnot]
  @Relationship(inverse: \Strand.knot, ordered: true) var strands: [Strand]
  var friends: [RopeKnot]
  @Relationship(ordered: true) var marks: [Mark]
  var seal: Seal?
  @Relationship(inverse: \Bead.knot, onDelete: .cascade, ordered: true) var beads: [Bead]

  static var basePath: String { "knots" }
}

/// Requires its knot.
@Entity final class Strand: RemoteEntity {
  @UID @Key("id") var uid: Int
  var length: Double
  var knot: RopeKnot
  @Relationship(inverse: \Fray.strand) var frays: [Fray]

  static var basePath: String { "strands" }
}

@Entity final class Fray: RemoteEntity {
  @UID @Key("id") var uid: Int
  var strand: Strand?

  static var basePath: String { "frays" }
}

@Entity final class Mark: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?
  @Relationship(inverse: \RopeKnot.marks) var knots: [RopeKnot]

  static var basePath: String { "marks" }
}

/// Embedded, with embedded and other objects of its own.
@Entity final class Seal {
  var text: String?
  var maker: RopeKnot?
  var bead: Bead?
}

@Entity final class Bead {
  var color: String
  var size: Int?
  var knot: RopeKnot?
}

extension RopeKnot {
  static let graph: [any ManagedEntity.Type] = [
    RopeKnot.self, Strand.self, Fray.self, Mark.self, Seal.self, Bead.self,
  ]

  /// All values and relationships, by uids where there are such.
  func dump() -> String {
    func text(_ bead: Bead?) -> String { bead.map { "\($0.color)/\($0.size.map { "\($0)" } ?? "-")" } ?? "-" }
    let own = [
      title ?? "-", price.map { "\($0)" } ?? "-", day.map { "\($0.timeIntervalSince1970)" } ?? "-",
      tags.sorted().joined(separator: "+"), extra.map { "\($0)" } ?? "-",
    ]
    let links = [
      next.map { "\($0.uid)" } ?? "-", "\(previous.map(\.uid).sorted())", "\(strands.map(\.uid))",
      "\(friends.map(\.uid).sorted())", "\(marks.map(\.uid))",
    ]
    let seals =
      seal.map { "\($0.text ?? "-") \($0.maker.map { "\($0.uid)" } ?? "-") \(text($0.bead))" } ?? "-"
    return "\(uid): \(own) \(links) \(seals) \(beads.map { text($0) })"
  }
}

extension EntityContext {
  /// The whole graph as text, which is equal for equal graphs.
  func knots() throws -> [String] {
    let knots = try fetch(RopeKnot.all).sorted { $0.uid < $1.uid }.map { $0.dump() }
    let strands = try fetch(Strand.all).sorted { $0.uid < $1.uid }
      .map { "strand \($0.uid): \($0.length) \($0.knot.uid) \($0.frays.map(\.uid).sorted())" }
    let frays = try fetch(Fray.all).sorted { $0.uid < $1.uid }
      .map { "fray \($0.uid): \($0.strand.map { "\($0.uid)" } ?? "-")" }
    let marks = try fetch(Mark.all).sorted { $0.uid < $1.uid }
      .map { "mark \($0.uid): \($0.title ?? "-") \($0.knots.map(\.uid).sorted())" }
    return knots + strands + frays + marks
  }
}

func knots() throws -> EntityStore { try EntityStore(.inMemory, entities: RopeKnot.graph, busyTimeout: .seconds(60)) }
