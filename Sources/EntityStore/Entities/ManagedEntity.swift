public import Observation

/// A class whose instances are rows of an ``EntityStore``: one instance per row and context.
///
/// The `@Entity` macro writes the members that the protocol requires; `SampleSchema/Address.swift` shows them written
/// by hand. Objects are not Sendable: pass their ``entityID`` across isolation. A context holds an object only while
/// the object has unsaved changes. Observers of the object hear of changes all the same.
public protocol ManagedEntity: AnyObject, Observable, SendableMetatype, Hashable, CustomDebugStringConvertible,
  CustomReflectable
{
  /// A struct with a ``Column`` for each property.
  associatedtype Columns: Sendable
  static var columns: Columns { get }
  /// The properties in the order of their columns' indices.
  static var properties: [PropertyDescriptor] { get }
  /// The entity's name, which is also the name of its table; the type's name by default.
  static var entityName: String { get }
  /// The name of the property that holds the server's identifier; by default the property that is declared as uid.
  ///
  /// The property must be declared as uid or unique, else the store doesn't open. `nil` for an entity without such a
  /// property, and for an entity with several uid properties: see ``CompositeUID``.
  static var uidKey: String? { get }
  /// The names that the entity had in earlier versions of the app; none by default. `@Renamed(from:)` writes it.
  static var formerEntityNames: [String] { get }
  /// The names of properties that earlier versions of the app had, and this version does not have; none by default.
  /// `@Entity(removed:)` writes it. The file keeps their values until a ``Migration`` drops them.
  static var removedProperties: [String] { get }
  /// Decides what a save does with properties that others changed since they were edited; `nil`, the default, leaves
  /// the decision to the context.
  static var conflictPolicy: ConflictPolicy? { get }
  /// The texts in which ``QueryRow/matches(_:)-(String)`` finds words; `nil`, the default, for none.
  static var fullTextSearch: FullTextSearch<IndexedEntity>? { get }
  /// The indexes over several columns, and over a part of the rows; none by default. ``EntityIndex`` has an example.
  static var indexes: [EntityIndex<IndexedEntity>] { get }
  /// Whether the store keeps, for each object, which properties no response ever had; `false` by default. See
  /// ``loaded``.
  static var tracksCoverage: Bool { get }
  /// How long the store keeps an object that no response has; `nil`, the default, for as long as the file lasts. See
  /// ``EntityStore/EntityStore/evictExpired(keeping:)``.
  static var expires: Duration? { get }
  /// The entity itself: ``indexes`` and ``fullTextSearch`` are of its own columns.
  associatedtype IndexedEntity = Self
  var _$state: ObjectState { get }
  /// Called by contexts only.
  init(_ state: ObjectState)
  /// Takes the values of `row` into the slots of the properties.
  func _$load(_ row: RowReader)
  /// Puts the slots' values into `row`.
  func _$store(into row: inout RowValues)
}

extension ManagedEntity {
  public static var entityName: String { String(describing: Self.self) }
  public static var uidKey: String? {
    let uids = properties.filter(\.isUID)
    return uids.count == 1 ? uids[0].name : nil
  }
  public static var formerEntityNames: [String] { [] }
  public static var removedProperties: [String] { [] }
  public static var conflictPolicy: ConflictPolicy? { nil }
  public static var fullTextSearch: FullTextSearch<IndexedEntity>? { nil }
  public static var indexes: [EntityIndex<IndexedEntity>] { [] }
  public static var tracksCoverage: Bool { false }
  public static var expires: Duration? { nil }
}

// An object is equal to itself alone. A context has one object for a row, and objects of two contexts have their own
// values. An entity may declare both functions itself.

extension ManagedEntity {
  /// Whether both are the same object. Two contexts have different objects for one row, with the same ``entityID``.
  public static func == (left: Self, right: Self) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
