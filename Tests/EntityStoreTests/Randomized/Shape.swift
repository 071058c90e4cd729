import Observation

@testable import EntityStore

/// Entities whose declaration a test makes up: the names and properties of four types are those of a task.
struct ShapeVersion: Sendable {
  var entities: [ShapeEntity] = []

  @TaskLocal static var current = ShapeVersion()

  /// The types that have a declaration.
  var types: [any ManagedEntity.Type] { entities.map { Self.types[$0.slot] } }

  static let types: [any ManagedEntity.Type] = [
    Shape<Slot0>.self, Shape<Slot1>.self, Shape<Slot2>.self, Shape<Slot3>.self,
  ]

  func entity(_ slot: Int) -> ShapeEntity? { entities.first { $0.slot == slot } }

  /// Runs `body` where the entities are these.
  func run<T>(_ body: () throws -> T) rethrows -> T { try Self.$current.withValue(self) { try body() } }
}

struct ShapeEntity: Sendable {
  let slot: Int
  var name: String
  var formerNames: [String] = []
  var removed: [String] = []
  var properties: [ShapeProperty] = []
  var indexes: [ShapeIndex] = []
}

struct ShapeIndex: Sendable, Equatable {
  var columns: [String]
  var isUnique = false
  /// The column that has another value than `text` in the index's rows; `nil` for all rows.
  var partial: String?
  var text = ""

  var condition: String? { partial.map { "\($0.quoted) IS NOT \(DDL.literal(.text(text)))" } }

  func names(_ column: String) -> Bool { columns.contains(column) || partial == column }

  mutating func rename(_ names: [String: String]) {
    columns = columns.map { names[$0] ?? $0 }
    partial = partial.map { names[$0] ?? $0 }
  }
}

struct ShapeProperty: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case attribute(AttributeType)
    /// The slot of the target.
    case link(Int)
    case list(Int)
  }

  var name: String
  var kind: Kind
  var isOptional = true
  var isUnique = false
  var isIndexed = false
  var formerNames: [String] = []
  /// Whether it has the former name of a property that has its own.
  var isSwapped = false

  var isStored: Bool { if case .list = kind { false } else { true } }
  var isAttribute: Bool { if case .attribute = kind { true } else { false } }

  /// The default of one that is required.
  var neutral: StoredValue {
    guard case .attribute(let type) = kind, !isOptional else { return .null }
    return type == .string ? .text("none") : type == .double || type == .float ? .real(0.5) : .integer(7)
  }
}

protocol ShapeSlot: SendableMetatype {
  static var number: Int { get }
}
enum Slot0: ShapeSlot { static let number = 0 }
enum Slot1: ShapeSlot { static let number = 1 }
enum Slot2: ShapeSlot { static let number = 2 }
enum Slot3: ShapeSlot { static let number = 3 }

final class Shape<Place: ShapeSlot>: ManagedEntity {
  struct Columns: Sendable {}

  static var columns: Columns { Columns() }
  private static var entity: ShapeEntity {
    ShapeVersion.current.entity(Place.number) ?? ShapeEntity(slot: Place.number, name: "Nothing\(Place.number)")
  }
  static var entityName: String { entity.name }
  static var formerEntityNames: [String] { entity.formerNames }
  static var removedProperties: [String] { entity.removed }
  static var indexes: [EntityIndex<Shape>] {
    entity.indexes.map { index in
      EntityIndex(
        columns: index.columns, isUnique: index.isUnique,
        condition: index.condition.map { IndexCondition(sql: $0, columns: []) })
    }
  }

  static var properties: [PropertyDescriptor] {
    entity.properties.enumerated().map { index, property in
      let kind: PropertyDescriptor.Kind
      switch property.kind {
      case .attribute(let type): kind = .attribute(type, isOptional: property.isOptional)
      case .link(let slot): kind = .toOne(ShapeVersion.types[slot], onDelete: .nullify)
      case .list(let slot): kind = .manyToMany(ShapeVersion.types[slot], inverse: nil, onDelete: .nullify)
      }
      let isLink = if case .link = property.kind { true } else { false }
      var descriptor = PropertyDescriptor(
        index: index, name: property.name, key: nil, kind: kind, isUnique: property.isUnique,
        isIndexed: property.isIndexed || isLink, defaultValue: property.neutral,
        facts: PropertyFacts(isDefaultDeclared: true), access: PropertyAccess(target: kind.target))
      // Some shape may have a link back by chance.
      if case .list = property.kind { descriptor = descriptor.withoutInverse() }
      for name in property.formerNames { descriptor = descriptor.renamed(from: name) }
      return descriptor
    }
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {
    for index in row.wanted.indices { row[index] = .null }
  }
}
