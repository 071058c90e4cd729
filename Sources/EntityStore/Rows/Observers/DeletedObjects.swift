/// An object that a response deletes.
public struct DeletedObject: Sendable, Hashable {
  public let id: AnyEntityID
  /// The object's uid as text, at most 200 characters of it; `nil` where it has none.
  public let uid: String?

  /// The name of the entity, as ``ManagedEntity/entityName``.
  public var entity: String { id.entityName }
}

extension DeletedObject: CustomStringConvertible {
  /// The object by its uid, or else by its row.
  public var description: String { uid.map { "\(entity) \($0)" } ?? "\(entity) (row \(id.pk))" }
}

/// The objects that a response deletes, in the order in which they go: the first ``limit`` of them, and how many there are.
public struct DeletedObjects: Sendable, RandomAccessCollection {
  /// The most objects that are listed.
  public static let limit = 1_000

  private var listed: [DeletedObject] = []
  /// The number of deleted objects, including those that are not listed.
  public private(set) var total = 0

  public init() {}

  public var startIndex: Int { 0 }
  /// The number of listed objects. How many there are in all is ``total``.
  public var endIndex: Int { listed.count }
  public subscript(position: Int) -> DeletedObject { listed[position] }

  mutating func add(_ id: AnyEntityID, uid: @autoclosure () -> String?) {
    total += 1
    if listed.count < Self.limit { listed.append(DeletedObject(id: id, uid: uid())) }
  }
}

extension DeletedObjects: CustomStringConvertible {
  /// A line for each of the first objects.
  public var description: String {
    guard total > 0 else { return "nothing is deleted" }
    let lines = prefix(20).map(\.description)
    let more = total - lines.count
    return (lines + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n")
  }
}

/// Collects the objects that one transaction deletes, including those that a rule takes with others.
///
/// Placeholders, which nobody knew as objects, and rows that the transaction itself made are left out.
package final class DeletionLog: ChangeObserver {
  package private(set) var objects = DeletedObjects()
  /// No two rows have the same row id, whatever their entities.
  private var made: Set<Int64> = []

  package init() {}

  func didChange(_ change: ObservedChange) { if change.isWrite, change.kind == .inserted { made.insert(change.pk) } }

  /// A row is about to go.
  func note(_ model: EntityModel, _ pk: Int64, in rows: RowWriter) throws {
    guard !model.isLinks, !made.contains(pk) else { return }
    let mask = model.uid.map { ColumnMask($0) } ?? ColumnMask()
    guard let (row, values) = try rows.find(model, pk: pk)?.read(model, mask), !row.isPlaceholder else { return }
    let uid = model.uid.map { values[$0] } ?? .null
    objects.add(
      model.id(pk), uid: model.uidType.flatMap { uid.uidText($0) }.map { String($0.prefix(200)) })
  }
}

/// An object that the server does not have any more.
package struct GoneObject {
  package let model: EntityModel
  package let uid: StoredValue
}

/// Collects the objects with a uid that one transaction deletes, including those that a rule takes with others.
final class GoneLog: ChangeObserver {
  private(set) var objects: [GoneObject] = []

  func willDelete(_ model: EntityModel, _ pk: Int64, ends: RowValues?, in rows: RowWriter) throws {
    guard !model.isLinks, let uid = model.uid, let found = try rows.find(model, pk: pk)?.read(model, ColumnMask(uid)),
      !found.values[uid].isNull
    else { return }
    objects.append(GoneObject(model: model, uid: found.values[uid]))
  }
}
