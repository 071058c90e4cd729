import TestSchema
import Testing

@testable import EntityStore

/// A link to an object whose deletion is not saved is none: to queries that go on from it, too.
@MainActor struct DeletedTargetTests {
  @Test(arguments: Place.usual)
  func `nothing is found through an object whose deletion is not saved`(_ place: Place) throws {
    let test = try TestStore(place, Pilgrim.world)
    let main = test.store.main
    let (host, one, two) = (
      try main.insert(Pilgrim.self), try main.insert(Pilgrim.self), try main.insert(Pilgrim.self)
    )
    let badge = try main.insert(Badge.self)
    (badge.number, badge.holder) = (7, host)
    (one.host, two.host) = (host, host)
    two.guide = one
    try main.saveAtOnce()
    func found(_ condition: (QueryRow<Pilgrim>) -> EntityPredicate) throws -> [Pilgrim] {
      try main.fetch(Pilgrim.where(condition))
    }
    #expect(try found { $0.host.badge.number == 7 } == [one, two])
    #expect(try found { $0.host.pilgrims.count == 2 } == [one, two])
    #expect(try found { $0.host == $0.guide } == [host])
    try main.delete(host)
    // The rows still link to it.
    #expect(try found { $0.host.badge.number == 7 } == [])
    #expect(try found { $0.host.badge != nil } == [])
    #expect(try found { $0.host.pilgrims.count > 0 } == [])
    #expect(try found { $0.host == $0.guide } == [one])
    #expect(try found { $0.host != $0.guide } == [two])
    #expect(try main.fetch(Pilgrim.all.select { $0.host.badge.number }) == [nil, nil])
    try main.saveAtOnce()
    #expect(try found { $0.host == $0.guide } == [one])
    #expect(try found { $0.host.pilgrims.count > 0 } == [])
  }

  /// As after the save, which leaves no link to it.
  @Test(arguments: Place.usual)
  func `no link is to an object whose deletion is not saved`(_ place: Place) throws {
    let test = try TestStore(place, Pilgrim.world)
    let main = test.store.main
    let hosts = try (0..<12).map { _ in try main.insert(Pilgrim.self) }
    let (host, other) = (hosts[0], hosts[1])
    let (one, two) = (try main.insert(Pilgrim.self), try main.insert(Pilgrim.self))
    (one.host, two.host) = (host, other)
    try main.saveAtOnce()
    let ids = hosts.map(\.entityID)
    func found(_ condition: (QueryRow<Pilgrim>) -> EntityPredicate) throws -> [Pilgrim] {
      try main.fetch(Pilgrim.where(condition))
    }
    func check(_ linked: [Pilgrim], _ all: [Pilgrim]) throws {
      let unlinked = all.filter { pilgrim in !linked.contains { $0 === pilgrim } }
      #expect(try found { $0.host == host } == linked)
      #expect(try found { $0.host == host.entityID } == linked)
      #expect(try found { !($0.host != host) } == linked)
      #expect(try found { !($0.host != host.entityID) } == linked)
      #expect(try found { $0.host.isIn([host.entityID]) } == linked)
      #expect(try found { $0.host.isIn(ids) } == linked + [two])
      #expect(try found { $0.host == other } == [two])
      #expect(try found { $0.host != host } == unlinked)
      #expect(try found { !$0.host.isIn(ids) } == unlinked.filter { $0 !== two })
    }
    try check([one], hosts + [one, two])
    try main.delete(host)
    let left = Array(hosts.dropFirst()) + [one, two]
    try check([], left)
    let draft = try main.child()
    #expect(try draft.fetch(Pilgrim.where { $0.host == host.entityID }).isEmpty)
    try main.saveAtOnce()
    try check([], left)
  }
}
