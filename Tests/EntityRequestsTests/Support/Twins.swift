import EntityClient
import Foundation
import Observation

// Two entities that are the same but for who maps them. Each refers to itself, to one and to many, and holds parts
// that have no uid.

/// Mapped by its declared properties.
final class Stated: ManagedEntity, RemoteEntity {
  static var basePath: String { "stateds" }

  struct Columns: Sendable {
    let uid = Column<Stated, Int>(0, "uid")
    let name = Column<Stated, String?>(1, "name")
    let rating = Column<Stated, Double>(2, "rating")
    let isOpen = Column<Stated, Bool>(3, "isOpen")
    let seenAt = Column<Stated, Date?>(4, "seenAt")
    let city = Column<Stated, String?>(5, "city")
    let parent = Column<Stated, Stated?>(6, "parent")
    let children = Column<Stated, [Stated]>(7, "children")
    let part = Column<Stated, StatedPart?>(8, "part")
    let parts = Column<Stated, [StatedPart]>(9, "parts")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Stated.uid, columns.uid, key: "data.id", uid: true),
      .property(\Stated.name, columns.name),
      .property(\Stated.rating, columns.rating),
      .property(\Stated.isOpen, columns.isOpen),
      .property(\Stated.seenAt, columns.seenAt),
      .property(\Stated.city, columns.city, key: "place.city"),
      .property(\Stated.parent, columns.parent),
      .property(\Stated.children, columns.children, inverse: Stated.columns.parent),
      .property(\Stated.part, columns.part),
      .property(\Stated.parts, columns.parts, inverse: StatedPart.columns.owner),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$uid = Slot<Int>()
  var _$name = Slot<String?>()
  var _$rating = Slot<Double>()
  var _$isOpen = Slot<Bool>()
  var _$seenAt = Slot<Date?>()
  var _$city = Slot<String?>()
  var _$parent = Slot<Stated?>()
  var _$children = Slot<[Stated]>()
  var _$part = Slot<StatedPart?>()
  var _$parts = Slot<[StatedPart]>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$uid) }
    set { _set(\.uid, Self.columns.uid, _$uid, newValue) { _$uid = $0 } }
  }
  var name: String? {
    get { _get(\.name, Self.columns.name, _$name) }
    set { _set(\.name, Self.columns.name, _$name, newValue) { _$name = $0 } }
  }
  var rating: Double {
    get { _get(\.rating, Self.columns.rating, _$rating) }
    set { _set(\.rating, Self.columns.rating, _$rating, newValue) { _$rating = $0 } }
  }
  var isOpen: Bool {
    get { _get(\.isOpen, Self.columns.isOpen, _$isOpen) }
    set { _set(\.isOpen, Self.columns.isOpen, _$isOpen, newValue) { _$isOpen = $0 } }
  }
  var seenAt: Date? {
    get { _get(\.seenAt, Self.columns.seenAt, _$seenAt) }
    set { _set(\.seenAt, Self.columns.seenAt, _$seenAt, newValue) { _$seenAt = $0 } }
  }
  var city: String? {
    get { _get(\.city, Self.columns.city, _$city) }
    set { _set(\.city, Self.columns.city, _$city, newValue) { _$city = $0 } }
  }
  var parent: Stated? {
    get { _get(\.parent, Self.columns.parent, _$parent) }
    set { _set(\.parent, Self.columns.parent, _$parent, newValue) { _$parent = $0 } }
  }
  var children: [Stated] {
    get { _get(\.children, Self.columns.children, _$children) }
    set { _set(\.children, Self.columns.children, _$children, newValue) { _$children = $0 } }
  }
  var part: StatedPart? {
    get { _get(\.part, Self.columns.part, _$part) }
    set { _set(\.part, Self.columns.part, _$part, newValue) { _$part = $0 } }
  }
  var parts: [StatedPart] {
    get { _get(\.parts, Self.columns.parts, _$parts) }
    set { _set(\.parts, Self.columns.parts, _$parts, newValue) { _$parts = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$uid)
    _load(row, Self.columns.name, &_$name)
    _load(row, Self.columns.rating, &_$rating)
    _load(row, Self.columns.isOpen, &_$isOpen)
    _load(row, Self.columns.seenAt, &_$seenAt)
    _load(row, Self.columns.city, &_$city)
    _load(row, Self.columns.parent, &_$parent)
    _load(row, Self.columns.part, &_$part)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$uid)
    _store(&row, Self.columns.name, _$name)
    _store(&row, Self.columns.rating, _$rating)
    _store(&row, Self.columns.isOpen, _$isOpen)
    _store(&row, Self.columns.seenAt, _$seenAt)
    _store(&row, Self.columns.city, _$city)
    _store(&row, Self.columns.parent, _$parent)
    _store(&row, Self.columns.part, _$part)
  }
}

/// Has no uid: lives in a `Stated`.
final class StatedPart: ManagedEntity {
  struct Columns: Sendable {
    let color = Column<StatedPart, String?>(0, "color")
    let size = Column<StatedPart, Int>(1, "size")
    let owner = Column<StatedPart, Stated?>(2, "owner")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\StatedPart.color, columns.color), .property(\StatedPart.size, columns.size),
      .property(\StatedPart.owner, columns.owner),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$color = Slot<String?>()
  var _$size = Slot<Int>()
  var _$owner = Slot<Stated?>()

  var color: String? {
    get { _get(\.color, Self.columns.color, _$color) }
    set { _set(\.color, Self.columns.color, _$color, newValue) { _$color = $0 } }
  }
  var size: Int {
    get { _get(\.size, Self.columns.size, _$size) }
    set { _set(\.size, Self.columns.size, _$size, newValue) { _$size = $0 } }
  }
  var owner: Stated? {
    get { _get(\.owner, Self.columns.owner, _$owner) }
    set { _set(\.owner, Self.columns.owner, _$owner, newValue) { _$owner = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.color, &_$color)
    _load(row, Self.columns.size, &_$size)
    _load(row, Self.columns.owner, &_$owner)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.color, _$color)
    _store(&row, Self.columns.size, _$size)
    _store(&row, Self.columns.owner, _$owner)
  }
}

/// Updated by hand, in the same order.
final class Handed: ManagedEntity, RemoteEntity {
  static var basePath: String { "handeds" }

  struct Columns: Sendable {
    let uid = Column<Handed, Int>(0, "uid")
    let name = Column<Handed, String?>(1, "name")
    let rating = Column<Handed, Double>(2, "rating")
    let isOpen = Column<Handed, Bool>(3, "isOpen")
    let seenAt = Column<Handed, Date?>(4, "seenAt")
    let city = Column<Handed, String?>(5, "city")
    let parent = Column<Handed, Handed?>(6, "parent")
    let children = Column<Handed, [Handed]>(7, "children")
    let part = Column<Handed, HandedPart?>(8, "part")
    let parts = Column<Handed, [HandedPart]>(9, "parts")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Handed.uid, columns.uid, key: "data.id", uid: true),
      .property(\Handed.name, columns.name),
      .property(\Handed.rating, columns.rating),
      .property(\Handed.isOpen, columns.isOpen),
      .property(\Handed.seenAt, columns.seenAt),
      .property(\Handed.city, columns.city, key: "place.city"),
      .property(\Handed.parent, columns.parent),
      .property(\Handed.children, columns.children, inverse: Handed.columns.parent),
      .property(\Handed.part, columns.part),
      .property(\Handed.parts, columns.parts, inverse: HandedPart.columns.owner),
    ]
  }

  func update(with response: ResponseObject) throws {
    try response.assign("data.id", to: &uid)
    try response.assign("parent", to: &parent)
    try response.assign("part", to: &part)
    try response.assign("name", to: &name)
    try response.assign("rating", to: &rating)
    try response.assign("is_open", to: &isOpen)
    try response.assign("seen_at", to: &seenAt)
    try response.assign("place.city", to: &city)
    try response.assign("children", to: &children)
    try response.assign("parts", to: &parts)
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$uid = Slot<Int>()
  var _$name = Slot<String?>()
  var _$rating = Slot<Double>()
  var _$isOpen = Slot<Bool>()
  var _$seenAt = Slot<Date?>()
  var _$city = Slot<String?>()
  var _$parent = Slot<Handed?>()
  var _$children = Slot<[Handed]>()
  var _$part = Slot<HandedPart?>()
  var _$parts = Slot<[HandedPart]>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$uid) }
    set { _set(\.uid, Self.columns.uid, _$uid, newValue) { _$uid = $0 } }
  }
  var name: String? {
    get { _get(\.name, Self.columns.name, _$name) }
    set { _set(\.name, Self.columns.name, _$name, newValue) { _$name = $0 } }
  }
  var rating: Double {
    get { _get(\.rating, Self.columns.rating, _$rating) }
    set { _set(\.rating, Self.columns.rating, _$rating, newValue) { _$rating = $0 } }
  }
  var isOpen: Bool {
    get { _get(\.isOpen, Self.columns.isOpen, _$isOpen) }
    set { _set(\.isOpen, Self.columns.isOpen, _$isOpen, newValue) { _$isOpen = $0 } }
  }
  var seenAt: Date? {
    get { _get(\.seenAt, Self.columns.seenAt, _$seenAt) }
    set { _set(\.seenAt, Self.columns.seenAt, _$seenAt, newValue) { _$seenAt = $0 } }
  }
  var city: String? {
    get { _get(\.city, Self.columns.city, _$city) }
    set { _set(\.city, Self.columns.city, _$city, newValue) { _$city = $0 } }
  }
  var parent: Handed? {
    get { _get(\.parent, Self.columns.parent, _$parent) }
    set { _set(\.parent, Self.columns.parent, _$parent, newValue) { _$parent = $0 } }
  }
  var children: [Handed] {
    get { _get(\.children, Self.columns.children, _$children) }
    set { _set(\.children, Self.columns.children, _$children, newValue) { _$children = $0 } }
  }
  var part: HandedPart? {
    get { _get(\.part, Self.columns.part, _$part) }
    set { _set(\.part, Self.columns.part, _$part, newValue) { _$part = $0 } }
  }
  var parts: [HandedPart] {
    get { _get(\.parts, Self.columns.parts, _$parts) }
    set { _set(\.parts, Self.columns.parts, _$parts, newValue) { _$parts = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$uid)
    _load(row, Self.columns.name, &_$name)
    _load(row, Self.columns.rating, &_$rating)
    _load(row, Self.columns.isOpen, &_$isOpen)
    _load(row, Self.columns.seenAt, &_$seenAt)
    _load(row, Self.columns.city, &_$city)
    _load(row, Self.columns.parent, &_$parent)
    _load(row, Self.columns.part, &_$part)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$uid)
    _store(&row, Self.columns.name, _$name)
    _store(&row, Self.columns.rating, _$rating)
    _store(&row, Self.columns.isOpen, _$isOpen)
    _store(&row, Self.columns.seenAt, _$seenAt)
    _store(&row, Self.columns.city, _$city)
    _store(&row, Self.columns.parent, _$parent)
    _store(&row, Self.columns.part, _$part)
  }
}

/// Has no uid: lives in a `Handed`.
final class HandedPart: ManagedEntity {
  struct Columns: Sendable {
    let color = Column<HandedPart, String?>(0, "color")
    let size = Column<HandedPart, Int>(1, "size")
    let owner = Column<HandedPart, Handed?>(2, "owner")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\HandedPart.color, columns.color), .property(\HandedPart.size, columns.size),
      .property(\HandedPart.owner, columns.owner),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$color = Slot<String?>()
  var _$size = Slot<Int>()
  var _$owner = Slot<Handed?>()

  var color: String? {
    get { _get(\.color, Self.columns.color, _$color) }
    set { _set(\.color, Self.columns.color, _$color, newValue) { _$color = $0 } }
  }
  var size: Int {
    get { _get(\.size, Self.columns.size, _$size) }
    set { _set(\.size, Self.columns.size, _$size, newValue) { _$size = $0 } }
  }
  var owner: Handed? {
    get { _get(\.owner, Self.columns.owner, _$owner) }
    set { _set(\.owner, Self.columns.owner, _$owner, newValue) { _$owner = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.color, &_$color)
    _load(row, Self.columns.size, &_$size)
    _load(row, Self.columns.owner, &_$owner)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.color, _$color)
    _store(&row, Self.columns.size, _$size)
    _store(&row, Self.columns.owner, _$owner)
  }
}

func twins() throws -> EntityStore {
  try EntityStore(.inMemory, entities: [Stated.self, StatedPart.self, Handed.self, HandedPart.self])
}
