import EntityStore
import Observation

nonisolated final class Person: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Person, Int>(0, "uid")
    let name = Column<Person, String>(1, "name")
    let email = Column<Person, String?>(2, "email")
    let age = Column<Person, Int>(3, "age")
    let score = Column<Person, Double?>(4, "score")
    let boss = Column<Person, Person?>(5, "boss")
    let reports = Column<Person, [Person]>(6, "reports")
    let team = Column<Person, Team?>(7, "team")
    let notes = Column<Person, [Note]>(8, "notes")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Person.uid, columns.uid, key: "id", uid: true),
    .property(\Person.name, columns.name),
    .property(\Person.email, columns.email),
    .property(\Person.age, columns.age),
    .property(\Person.score, columns.score),
    .property(\Person.boss, columns.boss),
    .property(\Person.reports, columns.reports, inverse: Person.columns.boss),
    .property(\Person.team, columns.team),
    .property(\Person.notes, columns.notes, inverse: Note.columns.person, onDelete: .cascade),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$email = Slot<String?>()
  private var _$$age = Slot<Int>()
  private var _$$score = Slot<Double?>()
  private var _$$boss = Slot<Person?>()
  private var _$$reports = Slot<[Person]>()
  private var _$$team = Slot<Team?>()
  private var _$$notes = Slot<[Note]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var email: String? {
    get { _get(\.email, Self.columns.email, _$$email) }
    set { _set(\.email, Self.columns.email, _$$email, newValue) { _$$email = $0 } }
  }

  var age: Int {
    get { _get(\.age, Self.columns.age, _$$age) }
    set { _set(\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
  }

  var score: Double? {
    get { _get(\.score, Self.columns.score, _$$score) }
    set { _set(\.score, Self.columns.score, _$$score, newValue) { _$$score = $0 } }
  }

  var boss: Person? {
    get { _get(\.boss, Self.columns.boss, _$$boss) }
    set { _set(\.boss, Self.columns.boss, _$$boss, newValue) { _$$boss = $0 } }
  }

  var reports: [Person] {
    get { _get(\.reports, Self.columns.reports, _$$reports) }
    set { _set(\.reports, Self.columns.reports, _$$reports, newValue) { _$$reports = $0 } }
  }

  var team: Team? {
    get { _get(\.team, Self.columns.team, _$$team) }
    set { _set(\.team, Self.columns.team, _$$team, newValue) { _$$team = $0 } }
  }

  var notes: [Note] {
    get { _get(\.notes, Self.columns.notes, _$$notes) }
    set { _set(\.notes, Self.columns.notes, _$$notes, newValue) { _$$notes = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.email, &_$$email)
    _load(row, Self.columns.age, &_$$age)
    _load(row, Self.columns.score, &_$$score)
    _load(row, Self.columns.boss, &_$$boss)
    _load(row, Self.columns.reports, &_$$reports)
    _load(row, Self.columns.team, &_$$team)
    _load(row, Self.columns.notes, &_$$notes)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.email, _$$email)
    _store(&row, Self.columns.age, _$$age)
    _store(&row, Self.columns.score, _$$score)
    _store(&row, Self.columns.boss, _$$boss)
    _store(&row, Self.columns.reports, _$$reports)
    _store(&row, Self.columns.team, _$$team)
    _store(&row, Self.columns.notes, _$$notes)
  }
}

nonisolated final class Team: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Team, String>(0, "uid")
    let title = Column<Team, String?>(1, "title")
    let members = Column<Team, [Person]>(2, "members")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Team.uid, columns.uid, uid: true),
    .property(\Team.title, columns.title),
    .property(\Team.members, columns.members, inverse: Person.columns.team),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<String>()
  private var _$$title = Slot<String?>()
  private var _$$members = Slot<[Person]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: String {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var title: String? {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var members: [Person] {
    get { _get(\.members, Self.columns.members, _$$members) }
    set { _set(\.members, Self.columns.members, _$$members, newValue) { _$$members = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.members, &_$$members)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.members, _$$members)
  }
}

/// An entity without uid.
nonisolated final class Note: ManagedEntity {
  struct Columns: Sendable {
    let text = Column<Note, String>(0, "text")
    let rank = Column<Note, Int>(1, "rank")
    let person = Column<Note, Person?>(2, "person")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Note.text, columns.text, default: "new"),
    .property(\Note.rank, columns.rank, indexed: true),
    .property(\Note.person, columns.person),
  ]

  let _$state: ObjectState

  private var _$$text = Slot<String>()
  private var _$$rank = Slot<Int>()
  private var _$$person = Slot<Person?>()

  init(_ state: ObjectState) { _$state = state }

  var text: String {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  var rank: Int {
    get { _get(\.rank, Self.columns.rank, _$$rank) }
    set { _set(\.rank, Self.columns.rank, _$$rank, newValue) { _$$rank = $0 } }
  }

  var person: Person? {
    get { _get(\.person, Self.columns.person, _$$person) }
    set { _set(\.person, Self.columns.person, _$$person, newValue) { _$$person = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.text, &_$$text)
    _load(row, Self.columns.rank, &_$$rank)
    _load(row, Self.columns.person, &_$$person)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.rank, _$$rank)
    _store(&row, Self.columns.person, _$$person)
  }
}
