import EntityMacros
import EntityStore
import Testing

// The code of the article on one-to-one relationships that does without the macro.

final class Patient: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Patient, Int>(0, "uid")
    let band = Counterpart<Patient, Wristband>(1, "band")
  }

  static let columns: Columns = Columns()
  static var properties: [PropertyDescriptor] {
    [
      .property(\Patient.uid, columns.uid, key: "id", uid: true),
      .property(\Patient.band, columns.band, inverse: Wristband.columns.patient, onDelete: .cascade),
    ]
  }

  let _$state: ObjectState
  private var _$$uid = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  // The value is in the other row: nothing is kept, loaded or stored.
  var band: Wristband? {
    get { _get(\.band, Self.columns.band, Slot()) }
    set { _set(\.band, Self.columns.band, Slot(), newValue) { _ in } }
  }

  func _$load(_ row: RowReader) { _load(row, Self.columns.uid) { _$$uid = $0 } }
  func _$store(into row: inout RowValues) { _store(&row, Self.columns.uid, _$$uid) }
}

@Entity final class Wristband {
  @UID @Key("id") var uid: Int
  var patient: Patient?
}

@MainActor struct OneToOneByHandTests {
  @Test(arguments: Place.usual)
  func `a side that is written by hand is as that of the macro`(_ place: Place) async throws {
    let test = try TestStore(place, [Patient.self, Wristband.self])
    let main = test.store.main
    let (ada, bob) = (try main.insert(Patient.self), Patient())
    let (first, second) = (try main.insert(Wristband.self), Wristband())
    (ada.uid, bob.uid, first.uid, second.uid) = (1, 2, 1, 2)
    ada.band = first
    bob.band = second
    #expect(second.patient === bob)
    try main.insert(bob)
    first.patient = bob
    #expect(ada.band == nil)
    #expect(bob.band === first)
    #expect(second.patient == nil)
    try await main.save()
    #expect(try main.fetch(Patient.where { $0.band.uid == 1 }) == [bob])
    try main.delete(bob)
    try await main.save()
    #expect(first.isDeleted)
    #expect(try await test.store.read { try $0.fetch(Wristband.all).map(\.uid) } == [2])
  }
}
