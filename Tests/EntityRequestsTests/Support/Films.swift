import EntityClient
import Foundation
import Observation

// Required and many-to-many relationships, once mapped by declaration and once by hand.

final class Film: ManagedEntity, RemoteEntity {
  static var basePath: String { "films" }

  struct Columns: Sendable {
    let uid = Column<Film, Int>(0, "uid")
    let title = Column<Film, String?>(1, "title")
    let studio = Column<Film, Studio>(2, "studio")
    let cast = Column<Film, [Player]>(3, "cast")
    let sequels = Column<Film, [Film]>(4, "sequels")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Film.uid, columns.uid, key: "id", uid: true),
    .property(\Film.title, columns.title),
    .property(\Film.studio, columns.studio),
    .property(\Film.cast, columns.cast),
    .property(\Film.sequels, columns.sequels),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$title = Slot<String?>()
  private var _$$studio = Slot<Studio>()
  private var _$$cast = Slot<[Player]>()
  private var _$$sequels = Slot<[Film]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var title: String? {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var studio: Studio {
    get { _get(\.studio, Self.columns.studio, _$$studio) }
    set { _set(\.studio, Self.columns.studio, _$$studio, newValue) { _$$studio = $0 } }
  }

  var cast: [Player] {
    get { _get(\.cast, Self.columns.cast, _$$cast) }
    set { _set(\.cast, Self.columns.cast, _$$cast, newValue) { _$$cast = $0 } }
  }

  var sequels: [Film] {
    get { _get(\.sequels, Self.columns.sequels, _$$sequels) }
    set { _set(\.sequels, Self.columns.sequels, _$$sequels, newValue) { _$$sequels = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.studio, &_$$studio)
    _load(row, Self.columns.cast, &_$$cast)
    _load(row, Self.columns.sequels, &_$$sequels)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.studio, _$$studio)
    _store(&row, Self.columns.cast, _$$cast)
    _store(&row, Self.columns.sequels, _$$sequels)
  }
}

final class Player: ManagedEntity, RemoteEntity {
  static var basePath: String { "players" }

  struct Columns: Sendable {
    let uid = Column<Player, Int>(0, "uid")
    let name = Column<Player, String?>(1, "name")
    let films = Column<Player, [Film]>(2, "films")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Player.uid, columns.uid, key: "id", uid: true),
    .property(\Player.name, columns.name),
    .property(\Player.films, columns.films, inverse: Film.columns.cast),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String?>()
  private var _$$films = Slot<[Film]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var films: [Film] {
    get { _get(\.films, Self.columns.films, _$$films) }
    set { _set(\.films, Self.columns.films, _$$films, newValue) { _$$films = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.films, &_$$films)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.films, _$$films)
  }
}

final class Studio: ManagedEntity, RemoteEntity {
  static var basePath: String { "studios" }

  struct Columns: Sendable {
    let uid = Column<Studio, Int>(0, "uid")
    let name = Column<Studio, String?>(1, "name")
    let films = Column<Studio, [Film]>(2, "films")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Studio.uid, columns.uid, key: "id", uid: true),
    .property(\Studio.name, columns.name),
    .property(\Studio.films, columns.films, inverse: Film.columns.studio),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String?>()
  private var _$$films = Slot<[Film]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var films: [Film] {
    get { _get(\.films, Self.columns.films, _$$films) }
    set { _set(\.films, Self.columns.films, _$$films, newValue) { _$$films = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.films, &_$$films)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.films, _$$films)
  }
}

final class HandFilm: ManagedEntity, RemoteEntity {
  static var basePath: String { "handfilms" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("studio", to: &studio)
    try response.assign("title", to: &title)
    try response.assign("cast", to: &cast)
    try response.assign("sequels", to: &sequels)
  }

  struct Columns: Sendable {
    let uid = Column<HandFilm, Int>(0, "uid")
    let title = Column<HandFilm, String?>(1, "title")
    let studio = Column<HandFilm, HandStudio>(2, "studio")
    let cast = Column<HandFilm, [HandPlayer]>(3, "cast")
    let sequels = Column<HandFilm, [HandFilm]>(4, "sequels")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\HandFilm.uid, columns.uid, key: "id", uid: true),
    .property(\HandFilm.title, columns.title),
    .property(\HandFilm.studio, columns.studio),
    .property(\HandFilm.cast, columns.cast),
    .property(\HandFilm.sequels, columns.sequels),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$title = Slot<String?>()
  private var _$$studio = Slot<HandStudio>()
  private var _$$cast = Slot<[HandPlayer]>()
  private var _$$sequels = Slot<[HandFilm]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var title: String? {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var studio: HandStudio {
    get { _get(\.studio, Self.columns.studio, _$$studio) }
    set { _set(\.studio, Self.columns.studio, _$$studio, newValue) { _$$studio = $0 } }
  }

  var cast: [HandPlayer] {
    get { _get(\.cast, Self.columns.cast, _$$cast) }
    set { _set(\.cast, Self.columns.cast, _$$cast, newValue) { _$$cast = $0 } }
  }

  var sequels: [HandFilm] {
    get { _get(\.sequels, Self.columns.sequels, _$$sequels) }
    set { _set(\.sequels, Self.columns.sequels, _$$sequels, newValue) { _$$sequels = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.studio, &_$$studio)
    _load(row, Self.columns.cast, &_$$cast)
    _load(row, Self.columns.sequels, &_$$sequels)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.studio, _$$studio)
    _store(&row, Self.columns.cast, _$$cast)
    _store(&row, Self.columns.sequels, _$$sequels)
  }
}

final class HandPlayer: ManagedEntity, RemoteEntity {
  static var basePath: String { "handplayers" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
    try response.assign("films", to: &films)
  }

  struct Columns: Sendable {
    let uid = Column<HandPlayer, Int>(0, "uid")
    let name = Column<HandPlayer, String?>(1, "name")
    let films = Column<HandPlayer, [HandFilm]>(2, "films")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\HandPlayer.uid, columns.uid, key: "id", uid: true),
    .property(\HandPlayer.name, columns.name),
    .property(\HandPlayer.films, columns.films, inverse: HandFilm.columns.cast),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String?>()
  private var _$$films = Slot<[HandFilm]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var films: [HandFilm] {
    get { _get(\.films, Self.columns.films, _$$films) }
    set { _set(\.films, Self.columns.films, _$$films, newValue) { _$$films = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.films, &_$$films)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.films, _$$films)
  }
}

final class HandStudio: ManagedEntity, RemoteEntity {
  static var basePath: String { "handstudios" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
    try response.assign("films", to: &films)
  }

  struct Columns: Sendable {
    let uid = Column<HandStudio, Int>(0, "uid")
    let name = Column<HandStudio, String?>(1, "name")
    let films = Column<HandStudio, [HandFilm]>(2, "films")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\HandStudio.uid, columns.uid, key: "id", uid: true),
    .property(\HandStudio.name, columns.name),
    .property(\HandStudio.films, columns.films, inverse: HandFilm.columns.studio),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String?>()
  private var _$$films = Slot<[HandFilm]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var films: [HandFilm] {
    get { _get(\.films, Self.columns.films, _$$films) }
    set { _set(\.films, Self.columns.films, _$$films, newValue) { _$$films = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.films, &_$$films)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.films, _$$films)
  }
}

/// A store of films.
func films() throws -> EntityStore {
  try EntityStore(
    .inMemory,
    entities: [Film.self, Player.self, Studio.self, HandFilm.self, HandPlayer.self, HandStudio.self])
}
