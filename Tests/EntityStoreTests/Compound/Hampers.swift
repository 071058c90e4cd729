import EntityMacros
import Foundation

@testable import EntityStore

/// A hamper stands at one slot of a depot, where no other one stands.
@Entity final class Hamper {
  @UID @Key("id") var uid: Int
  var label: String
  var slot: Int?
  var isOpen: Bool
  var state: HamperState = .new
  var packed: Date?
  var depot: HamperDepot?

  static var indexes: [EntityIndex<Hamper>] {
    [
      .unique(\.depot, \.slot), .index(\.slot, \.packed, \.label), .index(\.label, where: { $0.isOpen }),
      .index(\.packed, \.label, where: { $0.state == .sent && $0.slot != nil }),
      .index(\.label, where: { $0.depot == nil }),
    ]
  }

  static var all: [any ManagedEntity.Type] { [Hamper.self, HamperDepot.self, HamperPeg.self, HamperDesk.self] }
}

enum HamperState: String, AttributeValue, CaseIterable { case new, sent = "it's sent" }

@Entity final class HamperDepot {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Hamper.depot, onDelete: .cascade) var hampers: [Hamper]
}

/// Values that always are: a placeholder has those that nobody set.
@Entity final class HamperPeg {
  @UID @Key("id") var uid: Int
  var row: Int
  var hole: String

  static var indexes: [EntityIndex<HamperPeg>] { [.unique(\.row, \.hole)] }
}

/// One open ticket at each desk.
@Entity final class HamperDesk {
  @UID @Key("id") var uid: Int
  var desk: String?
  var isOpen: Bool = true
  var note: String?

  static var indexes: [EntityIndex<HamperDesk>] { [.unique(\.desk, where: { $0.isOpen })] }
}

extension EntityContext {
  func hamper(_ uid: Int, _ depot: HamperDepot?, _ slot: Int?) throws -> Hamper {
    let hamper = try insert(Hamper.self)
    (hamper.uid, hamper.depot, hamper.slot, hamper.label) = (uid, depot, slot, "c\(uid)")
    return hamper
  }

  func hamperDepot(_ uid: Int) throws -> HamperDepot {
    let depot = try insert(HamperDepot.self)
    depot.uid = uid
    return depot
  }
}
