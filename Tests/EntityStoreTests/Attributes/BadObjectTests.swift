import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// One object that can't be saved: the error names it, and once its changes are dropped the others are saved.
@MainActor
struct BadObjectTests {
  enum Fault: CaseIterable {
    case newUnique, editedUnique, newAmongTwo, uid, required, takenOut, notOptional, changedAndDeleted, deletedElsewhere
    case brokenLink, anotherContext, anotherContextInAList, notEncodable
    case deleteDenied, deleteOfARequired, deleteDeniedByACascade, deniedDeleteOfANewOne
  }

  private struct Depots {
    let test: TestStore
    let other: TestStore
    let main: EntityContext
    let depot: Depot
    let empty: Depot
    let bay: Bay
    let parcels: [Parcel]

    @MainActor
    init(_ place: Place) throws {
      test = try TestStore(place, [Depot.self, Bay.self, Parcel.self])
      other = try TestStore(place, [Depot.self, Bay.self, Parcel.self])
      main = test.store.main
      depot = try main.insert(Depot.self)
      empty = try main.insert(Depot.self)
      bay = try main.insert(Bay.self)
      bay.depot = empty
      parcels = try (1...5).map { [main, depot] number in
        let parcel = try main.parcel(number, depot)
        parcel.code = "\(number)"
        return parcel
      }
      parcels[1].bay = bay
      try main.save()
    }

    /// - Returns: The objects that the error names, first the one whose changes are to be dropped.
    @MainActor
    func commit(_ fault: Fault) throws -> (kind: StoreError.Kind, objects: [any ManagedEntity]) {
      let (bad, good) = (parcels[0], parcels[1])
      switch fault {
      case .newUnique:
        let new = try main.parcel(7, depot)
        new.code = "2"
        return (.uniqueViolation, [new, good])
      case .editedUnique:
        bad.code = "2"
        return (.uniqueViolation, [bad, good])
      case .newAmongTwo:
        let new = try (7...8).map { try main.parcel($0, depot) }
        for parcel in new { parcel.code = "same" }
        return (.uniqueViolation, [new[1], new[0]])
      case .uid:
        bad.uid = 2
        return (.uniqueViolation, [bad, good])
      case .required:
        let new = try main.insert(Parcel.self)
        new.uid = 7
        return (.invalidObject, [new])
      case .takenOut:
        depot.parcels.removeAll { $0 === bad }
        return (.invalidObject, [bad])
      case .notOptional:
        bad.weight = .nan
        return (.invalidValue, [bad])
      case .changedAndDeleted:
        try main.delete(bad)
        bad.weight = 3
        return (.objectDeleted, [bad])
      case .deletedElsewhere:
        bad.weight = 3
        try remove(bad)
        return (.objectDeleted, [bad])
      case .brokenLink:
        bad.next = parcels[3]
        try remove(parcels[3])
        return (.brokenLink, [bad])
      case .anotherContext:
        bad.next = try other.store.main.insert(Parcel.self)
        return (.wrongContext, [bad])
      case .anotherContextInAList:
        empty.parcels = [try other.store.main.insert(Parcel.self)]
        return (.wrongContext, [empty])
      case .notEncodable:
        bad.figure = .circle(radius: .nan)
        return (.invalidValue, [bad])
      case .deleteDenied:
        try main.delete(bay)
        return (.deleteDenied, [bay, good])
      case .deleteOfARequired:
        try main.delete(depot)
        return (.deleteDenied, [depot, bad])
      case .deleteDeniedByACascade:
        try main.delete(empty)
        return (.deleteDenied, [empty, bay, good])
      case .deniedDeleteOfANewOne:
        let new = try main.insert(Bay.self)
        bad.bay = new
        try main.delete(new)
        return (.deleteDenied, [bad, new])
      }
    }

    /// Deletes the row of a parcel as another context does; this one does not know of it yet.
    private func remove(_ parcel: Parcel) throws {
      let pk = parcel.entityID.pk
      try test.store.core.blockingUnit { rows in
        _ = try rows.deletion.delete([.init(entity: try rows.schema.model(Parcel.self).number, pk: pk)])
      }
    }
  }

  @Test(arguments: Place.usual, Fault.allCases)
  func `the other objects are saved without the faulty one`(_ place: Place, _ fault: Fault) async throws {
    let depots = try Depots(place)
    let main = depots.main
    // Three that are well: a new one, a changed one and a deleted one.
    let new = try main.parcel(9, depots.depot)
    new.code = "9"
    depots.parcels[2].code = "new"
    try main.delete(depots.parcels[4])
    let (kind, objects) = try depots.commit(fault)
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.kind == kind)
    // All that stand in the way are named.
    let others: [any ManagedEntity] = fault == .deleteOfARequired ? Array(depots.parcels[1...3]) + [new] : []
    #expect(error?.objects == (objects + others).map(\._$state.id))
    #expect(new.isInserted)
    #expect(depots.parcels[2].hasChanges)

    let id = try #require(error?.objects.first)
    let bad = try #require(try main.object(id))
    #expect(bad === objects[0])
    try main.rollback(bad)
    #expect(errorKind { try main.save() } == nil)
    #expect(!main.hasChanges)
    #expect(main.changes.isEmpty)
    let codes = try await depots.test.store.read { context in
      try context.fetch(Parcel.all.sorted(by: \.uid)).filter { [3, 5, 9].contains($0.uid) }.map(\.code)
    }
    #expect(codes == ["new", "9"])
  }

  @Test(arguments: Place.usual)
  func `a mistake is dropped with the changes of its object`(_ place: Place) async throws {
    let depots = try Depots(place)
    let main = depots.main
    for fault in [Fault.anotherContext, .notEncodable] {
      _ = try depots.commit(fault)
      try main.rollback(depots.parcels[0])
      #expect(errorKind { try main.save() } == nil)
    }
    // A mistake in another object stays. The error names all objects with a mistake.
    _ = try depots.commit(.anotherContextInAList)
    _ = try depots.commit(.notEncodable)
    depots.parcels[1].figure = .circle(radius: .infinity)
    try main.rollback(depots.parcels[1])
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.objects == [depots.empty.entityID.untyped, depots.parcels[0].entityID.untyped])
    try await main.save()
  }

  @Test(arguments: Place.usual, [Fault.newUnique, .editedUnique, .uid, .required, .notOptional, .notEncodable])
  func `a unit goes on without a bad object too`(_ place: Place, _ fault: Fault) async throws {
    let depots = try Depots(place)
    let (id, depot) = (depots.parcels[0].entityID, depots.depot.entityID)
    let new = try await depots.test.store.background { context in
      let depot = try #require(try context.object(depot))
      let bad: Parcel
      switch fault {
      case .newUnique, .required:
        bad = try context.parcel(7, fault == .required ? nil : depot)
        if fault == .newUnique { bad.code = "2" }
      default: bad = try #require(try context.object(id))
      }
      switch fault {
      case .editedUnique: bad.code = "2"
      case .uid: bad.uid = 2
      case .notOptional: bad.weight = .nan
      case .notEncodable: bad.figure = .circle(radius: .nan)
      default: break
      }
      let new = try context.parcel(9, depot)
      let error = #expect(throws: StoreError.self) { try context.save() }
      let named = try #require(error?.objects.first)
      let found = try #require(try context.object(named))
      #expect(found === bad)
      try context.rollback(found)
      try context.save()
      return new.entityID
    }
    #expect(try depots.main.object(new)?.uid == 9)
    #expect(try depots.main.count(Parcel.all) == 6)
  }

  @Test(arguments: Place.usual)
  func `no link to a dropped new object is left`(_ place: Place) async throws {
    let depots = try Depots(place)
    let (main, parcels) = (depots.main, depots.parcels)
    let bay = try main.insert(Bay.self)
    // One with a link before, one without, and one that has other changes too.
    for parcel in [parcels[0], parcels[1], parcels[2]] { parcel.bay = bay }
    parcels[2].weight = 3
    let new = try main.parcel(7, depots.depot)
    new.bay = bay
    try main.rollback(bay)
    #expect(parcels[0].bay == nil)
    #expect(parcels[1].bay == nil)
    #expect(parcels[2].bay == nil)
    #expect(new.bay == nil)
    #expect(!parcels[0].hasChanges)
    #expect(parcels[1].hasChanges)
    try await main.save()
    #expect(parcels[2].weight == 3)
    #expect(new.bay == nil)
    #expect(depots.bay.parcels.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `the unsaved changes are listed`(_ place: Place) async throws {
    let depots = try Depots(place)
    let main = depots.main
    #expect(main.changes.isEmpty)
    let new = try main.parcel(7, depots.depot)
    depots.parcels[0].weight = 2
    depots.parcels[0].code = nil
    depots.parcels[0].others = [depots.parcels[1]]
    depots.bay.depot = nil
    try main.delete(depots.parcels[2])
    let changes = main.changes
    let inserted = [new.entityID.untyped]
    #expect(changes.inserted.map(\._$state.id) == inserted)
    let changed = [depots.bay.entityID.untyped, depots.parcels[0].entityID.untyped]
    #expect(changes.changed.map(\._$state.id) == changed)
    #expect(changes.deleted(Parcel.self) == [depots.parcels[2]])
    #expect(changes.changed(Parcel.self) == [depots.parcels[0]])
    #expect(changes.inserted(Depot.self).isEmpty)
    #expect(changes.properties(of: depots.parcels[0]) == ["code", "weight", "others"])
    #expect(changes.properties(of: depots.bay) == ["depot"])
    #expect(changes.properties(of: depots.empty).isEmpty)
    try main.rollback(depots.parcels[0])
    try await main.save()
    #expect(main.changes.isEmpty)
    #expect(!changes.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a placeholder that a save under way fills is not among the unsaved changes`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    try await test.store.core.unit { rows in
      _ = try rows.row(try rows.schema.model(Person.self), uid: .integer(7))
    }
    let person = try #require(try main.fetch(Person.placeholders).first)
    main.answers.fill(person)
    #expect(main.changes.changed(Person.self) == [person])
    let saved = try main.saving.collectChanges()
    #expect(main.changes.isEmpty)
    person.name = "since"
    #expect(main.changes.changed(Person.self) == [person])
    #expect(main.changes.properties(of: person) == ["name"])
    main.saving.restore(saved)
    main.rollback()
  }

  @Test(arguments: Place.usual)
  func `an object that is edited after its deletion is among the deleted objects`(_ place: Place) async throws {
    let depots = try Depots(place)
    let main = depots.main
    let (here, elsewhere) = (depots.parcels[2], depots.parcels[3])
    try main.delete(here)
    here.weight = 3
    elsewhere.weight = 3
    let id = elsewhere.entityID
    try await depots.test.store.background { try $0.delete(try #require(try $0.object(id))) }
    try depots.test.store.mergeMain()
    #expect(main.changes.deleted(Parcel.self) == [here])
    #expect(main.changes.changed(Parcel.self) == [elsewhere])
    #expect(main.changes.properties(of: here) == ["weight"])
  }

  @Test(arguments: Place.usual)
  func `mistakes that no save asks for do not add up`(_ place: Place) async throws {
    let depots = try Depots(place)
    let other = try TestStore(place, [Depot.self, Bay.self, Parcel.self])
    let (main, foreign) = (depots.main, try other.store.main.insert(Parcel.self))
    for _ in 0..<1_000 { depots.parcels[2].next = foreign }
    #expect(main.unsaved.refusals.count == 1)
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.objects == [depots.parcels[2]._$state.id])
    // The mistakes of many objects are told of the first ones.
    let new = try (100..<400).map { try main.parcel($0, depots.depot) }
    for parcel in new { parcel.next = foreign }
    #expect(main.unsaved.refusals.count == Refusals.limit + 1)
    // Those that were remembered go with their objects, and the others are not forgotten.
    for parcel in new.prefix(Refusals.limit) { try main.rollback(parcel) }
    #expect(main.unsaved.refusals.count == 1)
    let later = #expect(throws: StoreError.self) { try main.save() }
    #expect(later?.kind == .wrongContext)
    #expect(later?.objects == [new[299]._$state.id])
    #expect(errorKind { try main.save() } == nil)
  }

  @Test func `an untyped id is that of one entity`() async throws {
    let depots = try Depots(.memory)
    let id = depots.depot.entityID.untyped
    #expect(EntityID<Depot>(id) == depots.depot.entityID)
    #expect(EntityID<Bay>(id) == nil)
    #expect(id.entityName == "Depot")
    #expect("\(id)" == "'Depot' (row \(depots.depot.entityID.pk))")
    #expect(try depots.main.object(id) === depots.depot)
    #expect(try depots.main.object(AnyEntityID(entityName: "Parcel,others", pk: 1)) == nil)
    #expect(try depots.main.object(AnyEntityID(entityName: "Depot", pk: 999)) == nil)
  }
}

@Entity final class Depot {
  var name: String
  @Relationship(inverse: \Parcel.depot) var parcels: [Parcel]
  @Relationship(inverse: \Bay.depot, onDelete: .cascade) var bays: [Bay]
}

@Entity final class Bay {
  var depot: Depot?
  @Relationship(inverse: \Parcel.bay, onDelete: .deny) var parcels: [Parcel]
}

@Entity final class Parcel {
  @UID @Key("id") var uid: Int
  @Unique var code: String?
  var weight: Double
  var figure: Figure = .square
  var depot: Depot
  var bay: Bay?
  var next: Parcel?
  @Relationship(inverse: nil) var others: [Parcel]
}

extension EntityContext {
  fileprivate func parcel(_ uid: Int, _ depot: Depot?) throws -> Parcel {
    let parcel = try insert(Parcel.self)
    parcel.uid = uid
    if let depot { parcel.depot = depot }
    return parcel
  }
}
