import Testing

@testable import EntityStore

/// Links and lists of drafts with objects that end meanwhile.
@MainActor
struct DraftLinkTests {
  private func copy<E: ManagedEntity>(_ object: E, in context: EntityContext) throws -> E {
    try #require(try context.object(object.entityID))
  }

  // MARK: Rows that turn out to be one

  /// Another context gives a new person the uid of one who is there: the new row survives.
  private func absorb(_ uid: Int, in staff: Staff) async throws -> EntityID<Person> {
    try await staff.store.background { context in
      let person = try context.insert(Person.self)
      try context.save()
      person.uid = uid
      return person.entityID
    }
  }

  @Test(arguments: Place.allCases)
  func theBaseOfALinkIsTheRowThatSurvives(_ place: Place) async throws {
    let staff = try Staff(place)
    let (main, ada, bob) = (staff.main, staff.ada, staff.bob)
    main.conflictPolicy = .fail
    ada.boss = bob
    try main.saveAtOnce()
    let draft = try main.edit(ada)
    draft.object.boss = try copy(ada, in: draft.context)
    let survivor = try await absorb(2, in: staff)
    try main.merge()
    #expect(ada.boss?.entityID == survivor)
    try draft.save()
    #expect(ada.boss === ada)
    try main.saveAtOnce()
    #expect(ada.boss === ada)
  }

  @Test(arguments: Place.allCases, [false, true])
  func theBaseOfAConflictIsTheRowThatSurvives(_ place: Place, _ isMerged: Bool) async throws {
    let staff = try Staff(place)
    let (main, ada, bob) = (staff.main, staff.ada, staff.bob)
    main.conflictPolicy = .fail
    ada.boss = bob
    try main.saveAtOnce()
    ada.boss = nil
    let survivor = try await absorb(2, in: staff)
    if isMerged { try main.merge() }
    let id = ada.entityID
    try await staff.store.edit(id) { $0.boss = $0 }
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.object(bob._$state.model.id(survivor.pk))])
  }

  @Test(arguments: Place.allCases)
  func theBaseThatASaveUnderWayHasIsTheRowThatSurvives(_ place: Place) async throws {
    let staff = try Staff(place)
    let (main, ada, bob) = (staff.main, staff.ada, staff.bob)
    main.conflictPolicy = .fail
    ada.boss = bob
    try main.saveAtOnce()
    ada.boss = nil
    // A row that no save accepts: this one gives its edits back.
    let twin = try main.insert(Person.self)
    twin.uid = 1
    let block = Blocker(staff.store)
    let new = try await absorbing(2, in: staff, before: block)
    let save = await staff.store.beginSave(of: ada)
    block.end()
    await #expect(throws: StoreError.self) { try await save.value }
    let survivor = try await new.value
    try main.merge()
    try main.delete(twin)
    let id = ada.entityID
    try await staff.store.edit(id) { $0.boss = $0 }
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.object(bob._$state.model.id(survivor.pk))])
  }

  /// The unit that is running, and the one behind it.
  private func absorbing(
    _ uid: Int, in staff: Staff, before block: Blocker
  ) async throws -> Task<EntityID<Person>, any Error> {
    await block.begin()
    let store = staff.store
    return Task { @MainActor in
      try await store.background { context in
        let person = try context.insert(Person.self)
        try context.save()
        person.uid = uid
        return person.entityID
      }
    }
  }
}
