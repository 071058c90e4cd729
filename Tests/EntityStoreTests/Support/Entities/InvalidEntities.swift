import EntityMacros
import EntityStore
import Foundation

// Entities that make no schema.

@Entity final class NotANumber {
  var x: Double = .nan
}

@Entity final class PlainUID {
  var x: Int

  static let uidKey: String? = "x"
}

@Entity final class MeasuredUID {
  @Unique var x: Double

  static let uidKey: String? = "x"
}

@Entity final class LinkUID {
  @Unique var x: URL?

  static let uidKey: String? = "x"
}

@Entity final class LostUID {
  var x: Int

  static let uidKey: String? = "gone"
}

/// The one that does.
@Entity final class UniqueUID {
  @Unique var x: Int

  static let uidKey: String? = "x"
}

@Entity final class SQLiteNamed {
  static let entityName: String = "sqlite_things"
}

@Entity final class PersonAgain {
  static let entityName: String = "PERSON"
}

// Those that the macro does not write. No object of them is ever made, so that they are their descriptors alone.

protocol Impossible: ManagedEntity {}

struct NoColumns: Sendable {}

extension Impossible {
  static var columns: NoColumns { NoColumns() }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}

final class Nameless: Impossible {
  static let properties: [PropertyDescriptor] = [.property(\Nameless.x, Column(0, ""))]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class Reserved: Impossible {
  static let properties: [PropertyDescriptor] = [.property(\Reserved.x, Column(0, "_pk"))]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class Comma: Impossible {
  static let properties: [PropertyDescriptor] = [.property(\Comma.x, Column(0, "a,b"))]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class Twice: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\Twice.x, Column(0, "Name")), .property(\Twice.y, Column(1, "name")),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
  var y = 0
}

final class TwoUIDs: Impossible {
  static let uidKey: String? = "x"
  static let properties: [PropertyDescriptor] = [
    .property(\TwoUIDs.x, Column(0, "x"), uid: true), .property(\TwoUIDs.y, Column(1, "y"), uid: true),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
  var y = 0
}

final class Shuffled: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\Shuffled.x, Column(1, "x")), .property(\Shuffled.y, Column(0, "y")),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
  var y = 0
}

/// Has a column that is not declared.
final class Undeclared: Impossible {
  struct Columns: Sendable {
    let x = Column<Undeclared, Int>(0, "x")
    let y = Column<Undeclared, Int>(1, "y")
  }

  static let columns = Columns()
  static let properties: [PropertyDescriptor] = [.property(\Undeclared.x, columns.x)]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
  var y = 0
}

/// Has columns that are declared at each other's places.
final class Crossed: Impossible {
  struct Columns: Sendable {
    let x = Column<Crossed, Int>(1, "x")
    let y = Column<Crossed, Int>(0, "y")
  }

  static let columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Crossed.x, Column(0, "x")), .property(\Crossed.y, Column(1, "y")),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
  var y = 0
}

final class TooWide: Impossible {
  static let properties: [PropertyDescriptor] = (0...128).map { .property(\TooWide.x, Column($0, "p\($0)")) }
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class WrongInverse: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\WrongInverse.one, Column(0, "one"), inverse: Column<Inverted, WrongInverse?>(0, "gone"))
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var one: [Inverted] = []
}

final class TwoInverses: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\TwoInverses.one, Column(0, "one"), inverse: Doubled.columns.owner),
    .property(\TwoInverses.two, Column(1, "two"), inverse: Doubled.columns.owner),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var one: [Doubled] = []
  var two: [Doubled] = []
}

class Ancestor {}

final class Descendant: Ancestor, Impossible {
  static let properties: [PropertyDescriptor] = []
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
}

@Entity final class Inverted {
  var owner: WrongInverse?
}

@Entity final class Doubled {
  var owner: TwoInverses?
}

// Former and removed names that make no sense.

final class SelfRenamed: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\SelfRenamed.x, Column(0, "x")).renamed(from: "x")
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class TwoHeirs: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\TwoHeirs.y, Column(0, "y")).renamed(from: "x"),
    .property(\TwoHeirs.z, Column(1, "z")).renamed(from: "x"),
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var y = 0
  var z = 0
}

final class NotRemoved: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\NotRemoved.x, Column(0, "x"))
  ]
  static let removedProperties = ["x"]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class RemovedHeir: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\RemovedHeir.y, Column(0, "y")).renamed(from: "x")
  ]
  static let removedProperties = ["x"]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var y = 0
}

final class OddFormer: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\OddFormer.x, Column(0, "x")).renamed(from: "a,b")
  ]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class Heir1: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\Heir1.x, Column(0, "x"))
  ]
  static let formerEntityNames = ["Old"]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}

final class Heir2: Impossible {
  static let properties: [PropertyDescriptor] = [
    .property(\Heir2.x, Column(0, "x"))
  ]
  static let formerEntityNames = ["Old"]
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var x = 0
}
