import EntityMacros
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Objects in sets, dictionaries and comparisons.
@Suite struct ObjectIdentityTests {
  @Test(arguments: Place.usual) @MainActor func `an object is equal to itself alone`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    let (one, other) = (try main.insert(Kinds.self), try main.insert(Kinds.self))
    (one.uid, other.uid) = (1, 2)
    (one.tags, other.tags) = (["x"], ["x"])
    #expect(one == one && one != other)
    #expect([one].contains(one) && ![one].contains(other))
    #expect([other, one].firstIndex(of: one) == 1)
    let uid = one.uid
    let set: Set = [one, other, try #require(try main.fetch(Kinds.self, uid: uid))]
    #expect(set.count == 2)
    one.uid = 3
    #expect(set.contains(one))
    try await main.save()
    #expect(set.contains(one))
    #expect(Dictionary(grouping: [one, other], by: \.self).count == 2)
    let loose = Kinds()
    let held: Set = [loose]
    try main.insert(loose)
    #expect(held.contains(loose))
  }

  @Test(arguments: Place.usual) @MainActor func `objects of two contexts for one row are not equal`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, [Kinds.self])
    let id = try await test.store.background { try $0.insert(Kinds.self).entityID }
    let object = try #require(try test.store.main.object(id))
    let copy = try #require(try test.store.main.child().object(id))
    #expect(object != copy && object.entityID == copy.entityID)
  }
}
