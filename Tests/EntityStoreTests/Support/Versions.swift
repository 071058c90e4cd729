import EntityStore
import Observation

// Versions of one entity, all named `Thing`, as they follow each other in an app's life.

nonisolated final class Thing1: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Thing1, Int>(0, "uid")
    let name = Column<Thing1, String>(1, "name")
    let note = Column<Thing1, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\Thing1.uid, columns.uid, uid: true),
    .property(\Thing1.name, columns.name),
    .property(\Thing1.note, columns.note),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class Thing2: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Thing2, Int>(0, "uid")
    let name = Column<Thing2, String>(1, "name")
    let note = Column<Thing2, String?>(2, "note")
    let age = Column<Thing2, Int?>(3, "age")
    let kind = Column<Thing2, String>(4, "kind")
    let limit = Column<Thing2, Double>(5, "limit")
    let part = Column<Thing2, Part2?>(6, "part")
    let code = Column<Thing2, String?>(7, "code")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\Thing2.uid, columns.uid, uid: true),
    .property(\Thing2.name, columns.name),
    .property(\Thing2.note, columns.note),
    .property(\Thing2.age, columns.age),
    .property(\Thing2.kind, columns.kind, indexed: true, default: "it's"),
    .property(\Thing2.limit, columns.limit, default: -.infinity),
    .property(\Thing2.part, columns.part),
    .property(\Thing2.code, columns.code, unique: true),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()
  private var _$$age = Slot<Int?>()
  private var _$$kind = Slot<String>()
  private var _$$limit = Slot<Double>()
  private var _$$part = Slot<Part2?>()
  private var _$$code = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var age: Int? {
    get { _get(\.age, Self.columns.age, _$$age) }
    set { _set(\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
  }

  var kind: String {
    get { _get(\.kind, Self.columns.kind, _$$kind) }
    set { _set(\.kind, Self.columns.kind, _$$kind, newValue) { _$$kind = $0 } }
  }

  var limit: Double {
    get { _get(\.limit, Self.columns.limit, _$$limit) }
    set { _set(\.limit, Self.columns.limit, _$$limit, newValue) { _$$limit = $0 } }
  }

  var part: Part2? {
    get { _get(\.part, Self.columns.part, _$$part) }
    set { _set(\.part, Self.columns.part, _$$part, newValue) { _$$part = $0 } }
  }

  var code: String? {
    get { _get(\.code, Self.columns.code, _$$code) }
    set { _set(\.code, Self.columns.code, _$$code, newValue) { _$$code = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.age, &_$$age)
    _load(row, Self.columns.kind, &_$$kind)
    _load(row, Self.columns.limit, &_$$limit)
    _load(row, Self.columns.part, &_$$part)
    _load(row, Self.columns.code, &_$$code)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.age, _$$age)
    _store(&row, Self.columns.kind, _$$kind)
    _store(&row, Self.columns.limit, _$$limit)
    _store(&row, Self.columns.part, _$$part)
    _store(&row, Self.columns.code, _$$code)
  }
}

nonisolated final class Part2: ManagedEntity {
  struct Columns: Sendable {
    let text = Column<Part2, String?>(0, "text")
    let things = Column<Part2, [Thing2]>(1, "things")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Part"
  static let properties: [PropertyDescriptor] = [
    .property(\Part2.text, columns.text),
    .property(\Part2.things, columns.things, inverse: Thing2.columns.part),
  ]

  let _$state: ObjectState

  private var _$$text = Slot<String?>()
  private var _$$things = Slot<[Thing2]>()

  init(_ state: ObjectState) { _$state = state }

  var text: String? {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  var things: [Thing2] {
    get { _get(\.things, Self.columns.things, _$$things) }
    set { _set(\.things, Self.columns.things, _$$things, newValue) { _$$things = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.text, &_$$text)
    _load(row, Self.columns.things, &_$$things)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.things, _$$things)
  }
}

nonisolated final class ThingIndexed: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingIndexed, Int>(0, "uid")
    let name = Column<ThingIndexed, String>(1, "name")
    let note = Column<ThingIndexed, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingIndexed.uid, columns.uid, uid: true),
    .property(\ThingIndexed.name, columns.name, indexed: true),
    .property(\ThingIndexed.note, columns.note),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class ThingWithoutNote: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingWithoutNote, Int>(0, "uid")
    let name = Column<ThingWithoutNote, String>(1, "name")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingWithoutNote.uid, columns.uid, uid: true),
    .property(\ThingWithoutNote.name, columns.name),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
  }
}

nonisolated final class ThingRetyped: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingRetyped, Int>(0, "uid")
    let name = Column<ThingRetyped, Int>(1, "name")
    let note = Column<ThingRetyped, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingRetyped.uid, columns.uid, uid: true),
    .property(\ThingRetyped.name, columns.name),
    .property(\ThingRetyped.note, columns.note),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<Int>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: Int {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class ThingOptional: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingOptional, Int>(0, "uid")
    let name = Column<ThingOptional, String?>(1, "name")
    let note = Column<ThingOptional, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingOptional.uid, columns.uid, uid: true),
    .property(\ThingOptional.name, columns.name),
    .property(\ThingOptional.note, columns.note),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String?>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class ThingUnique: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingUnique, Int>(0, "uid")
    let name = Column<ThingUnique, String>(1, "name")
    let note = Column<ThingUnique, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingUnique.uid, columns.uid, uid: true),
    .property(\ThingUnique.name, columns.name),
    .property(\ThingUnique.note, columns.note, unique: true),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class ThingOtherUID: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingOtherUID, Int>(0, "uid")
    let name = Column<ThingOtherUID, String>(1, "name")
    let note = Column<ThingOtherUID, String?>(2, "note")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingOtherUID.uid, columns.uid),
    .property(\ThingOtherUID.name, columns.name),
    .property(\ThingOtherUID.note, columns.note),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
  }
}

nonisolated final class ThingNewUnique: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingNewUnique, Int>(0, "uid")
    let name = Column<ThingNewUnique, String>(1, "name")
    let note = Column<ThingNewUnique, String?>(2, "note")
    let rank = Column<ThingNewUnique, Int>(3, "rank")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingNewUnique.uid, columns.uid, uid: true),
    .property(\ThingNewUnique.name, columns.name),
    .property(\ThingNewUnique.note, columns.note),
    .property(\ThingNewUnique.rank, columns.rank, unique: true),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()
  private var _$$rank = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var rank: Int {
    get { _get(\.rank, Self.columns.rank, _$$rank) }
    set { _set(\.rank, Self.columns.rank, _$$rank, newValue) { _$$rank = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.rank, &_$$rank)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.rank, _$$rank)
  }
}

nonisolated final class ThingLinked: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingLinked, Int>(0, "uid")
    let name = Column<ThingLinked, String>(1, "name")
    let note = Column<ThingLinked, String?>(2, "note")
    let other = Column<ThingLinked, ThingLinked?>(3, "other")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingLinked.uid, columns.uid, uid: true),
    .property(\ThingLinked.name, columns.name),
    .property(\ThingLinked.note, columns.note),
    .property(\ThingLinked.other, columns.other),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()
  private var _$$other = Slot<ThingLinked?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var other: ThingLinked? {
    get { _get(\.other, Self.columns.other, _$$other) }
    set { _set(\.other, Self.columns.other, _$$other, newValue) { _$$other = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.other, &_$$other)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.other, _$$other)
  }
}

nonisolated final class ThingLinkedElsewhere: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<ThingLinkedElsewhere, Int>(0, "uid")
    let name = Column<ThingLinkedElsewhere, String>(1, "name")
    let note = Column<ThingLinkedElsewhere, String?>(2, "note")
    let other = Column<ThingLinkedElsewhere, Part?>(3, "other")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Thing"
  static let properties: [PropertyDescriptor] = [
    .property(\ThingLinkedElsewhere.uid, columns.uid, uid: true),
    .property(\ThingLinkedElsewhere.name, columns.name),
    .property(\ThingLinkedElsewhere.note, columns.note),
    .property(\ThingLinkedElsewhere.other, columns.other),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$note = Slot<String?>()
  private var _$$other = Slot<Part?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var other: Part? {
    get { _get(\.other, Self.columns.other, _$$other) }
    set { _set(\.other, Self.columns.other, _$$other, newValue) { _$$other = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.other, &_$$other)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.other, _$$other)
  }
}

nonisolated final class Part: ManagedEntity {
  struct Columns: Sendable {
    let text = Column<Part, String?>(0, "text")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Part.text, columns.text)
  ]

  let _$state: ObjectState

  private var _$$text = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var text: String? {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.text, &_$$text)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.text, _$$text)
  }
}
