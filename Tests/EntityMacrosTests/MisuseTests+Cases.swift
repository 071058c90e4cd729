// The misuses, by the entity that has each, with the errors of the compiler.

extension MisuseTests {
  static let misuses: [String: (code: String, errors: [String])] = [
    "UnknownInverse": (
      #"""
      @Entity final class UnknownInverse {
        @Relationship(inverse: \Target.nobody) var targets: [Target]
      }
      """#, ["UnknownInverse:3: value of type 'Target' has no member 'nobody'"]
    ),
    "InverseOfOthers": (
      #"""
      @Entity final class InverseOfOthers {
        @Relationship(inverse: \Target.other) var targets: [Target]
      }
      """#, ["InverseOfOthers:3: " + pointsBack]
    ),
    "InverseOfText": (
      #"""
      @Entity final class InverseOfText {
        @Relationship(inverse: \Target.name) var targets: [Target]
      }
      """#, ["InverseOfText:3: " + pointsBack]
    ),
    "InverseOfAnother": (
      #"""
      @Entity final class InverseOfAnother {
        @Relationship(inverse: \Other.target) var targets: [Target]
      }
      """#, ["InverseOfAnother:3: " + pointsBack]
    ),
    // The compiler itself stops at the circle, at the first of the two.
    "BothSides": (
      #"""
      @Entity final class BothSides {
        @Relationship(inverse: \Beside.both) var beside: [Beside]
      }
      @Entity final class Beside {
        @Relationship(inverse: \BothSides.beside) var both: BothSides?
      }
      """#,
      [
        "BothSides:3: circular reference resolving attached macro 'Relationship'",
        "BothSides:3: unknown attribute 'Relationship'",
        "BothSides:6: 'property(_:_:key:inverse:onDelete:)' is unavailable: the inverse of a relationship to one is a relationship to one; where the other side is an array, name the inverse there",
      ]
    ),
    "ListsOnBothSides": (
      #"""
      @Entity final class ListsOnBothSides {
        @Relationship(inverse: \Others.lists) var others: [Others]
      }
      @Entity final class Others {
        @Relationship(inverse: \ListsOnBothSides.others) var lists: [ListsOnBothSides]
      }
      """#,
      [
        "ListsOnBothSides:3: circular reference resolving attached macro 'Relationship'",
        "ListsOnBothSides:3: unknown attribute 'Relationship'",
      ]
    ),
    "Marked": (
      "@Entity final class Marked {\n  @Unique var one: Target?\n  @Indexed var all: [Target]\n  @UID var own: Target\n}",
      [
        "Marked:3: " + noAttribute, "Marked:4: " + noAttribute,
        "Marked:5: " + noUID,
      ]
    ),
    "Measured": (
      "@Entity final class Measured {\n  @UID var uid: Double\n}\n@Entity final class Weighed {\n  @UID @Key(\"g\") var mass: Float?\n}",
      ["Measured:3: " + noUID, "Measured:6: " + noUID]
    ),
    "Decoded": (
      "@Entity final class Decoded: Codable {\n  var name: String\n}\nextension Target {\n  func out(_ it: Decoded) { it.name = \"\" }\n}",
      [
        "Decoded:2: an entity is not decoded: contexts make its objects, and responses fill them; 'jsonObject(for:)' is what "
          + "is sent of one (from macro 'Entity')"
      ]
    ),
    "Acting": (
      """
      @globalActor actor DatabaseActor { static let shared = DatabaseActor() }
      @Entity final class Acting {
        @MainActor var name: String
        @DatabaseActor var age: Int
        var `Type`: Int
        var `Protocol`: Int
        @Key("a") @Key("b") var more: Int
      }
      """,
      [
        "Acting:4: " + noActor, "Acting:5: " + noActor,
        "Acting:6: 'Type' after a dot is a metatype; choose another name, and say '@Key' for the one in responses "
          + "(from macro 'Entity')",
        "Acting:7: 'Protocol' after a dot is a metatype; choose another name, and say '@Key' for the one in responses "
          + "(from macro 'Entity')",
        "Acting:8: 'more' has an '@Key' already (from macro 'Entity')",
      ]
    ),
    "Unmarked": (
      "@Entity final class Unmarked {\n  var id: Int\n  var name: String\n}",
      [
        "Unmarked:3: mark 'id' '@UID', so that a response finds the object's row; call it otherwise where it does not "
          + "identify the object (from macro 'Entity')"
      ]
    ),
    "Locals": (
      """
      func locals() {
        @Entity final class Local { var name: String }
      }
      """, ["Locals:3: local type cannot have attached extension macro"]
    ),
    "SwiftDatas": (
      #"""
      @Entity final class SwiftDatas {
        @Relationship(deleteRule: .cascade, inverse: \Target.ruler) var targets: [Target] = []
        @Relationship(inverse: \Target.other, deleteRule: .cascade) var others: [Target] = []
        @Relationship(.cascade) var one: Target?
        @Relationship(inverse: \Target.name, .cascade) var more: [Target]
        @Relationship(inverse: \Target.self) var them: [Target]
        var `self`: Int
      }
      """#,
      [
        "SwiftDatas:3: SwiftData's 'deleteRule' is 'onDelete' here, after the inverse (from macro 'Entity')",
        "SwiftDatas:4: SwiftData's 'deleteRule' is 'onDelete' here, after the inverse (from macro 'Entity')",
        "SwiftDatas:5: what a deletion does is 'onDelete', after the inverse (from macro 'Entity')",
        "SwiftDatas:6: what a deletion does is 'onDelete', after the inverse (from macro 'Entity')",
        "SwiftDatas:7: an inverse is a property of the other entity, written as '\\Other.property' (from macro 'Entity')",
        "SwiftDatas:8: 'self' is the object itself; choose another name, and say '@Key' for the one in responses "
          + "(from macro 'Entity')",
      ]
    ),
    "Sets": (
      #"""
      @Entity final class Sets {
        @Relationship(inverse: \Target.sets) var all: Set<Target>
        @Relationship var many: [Target]?
      }
      """#, ["Sets:3: " + isArray, "Sets:4: " + isArray]
    ),
    "SetsAlone": (
      "@Entity final class SetsAlone {\n  var all: Set<Target>\n  var many: [Target]?\n  var some: [Target?]\n}",
      ["SetsAlone:3: " + noAttribute, "SetsAlone:4: " + noAttribute, "SetsAlone:5: " + noAttribute]
    ),
    "NotAnEntity": (
      "class Plain {}\n@Entity final class NotAnEntity {\n  @Relationship var one: Plain?\n  @Relationship var all: [Plain]\n}",
      ["NotAnEntity:4: " + noEntity, "NotAnEntity:5: " + noEntity]
    ),
    "NoEntities": (
      #"""
      import Foundation
      @Entity final class NoEntities {
        @Relationship var name: String
        @Relationship(onDelete: .deny) var dates: [Date]?
        @Relationship(ordered: true) var urls: [URL]
        @Relationship(inverse: \Target.name) var counts: [Int]
        @Relationship(inverse: \Target.other) var key: UUID?
      }
      """#,
      [
        "NoEntities:4: " + noEntity, "NoEntities:5: " + noEntity, "NoEntities:6: " + noEntity,
        "NoEntities:7: " + noEntityWithInverse, "NoEntities:8: " + noEntityWithInverse,
      ]
    ),
    "Contained": (
      """
      func contained() {
        _ = Target.where { $0.peers.contains { $0.name == "a" } && $0.name != "" }
        _ = Target.where { $0.peers.allSatisfy { $0.name == "a" } }
      }
      """,
      [
        "Contained:3: 'contains(where:)' has been renamed to 'any(_:)'",
        "Contained:4: 'allSatisfy' has been renamed to 'all(_:)'",
      ]
    ),
    "OfItself": (
      "@Entity final class OfItself {\n  var parent: Self?\n}",
      ["OfItself:3: stored property cannot have covariant 'Self' type"]
    ),
    "NotFinal": (
      """
      @Entity class NotFinal {
        var name: String
      }
      func notFinal(_ context: EntityContext) throws { print(try context.fetch(NotFinal.where { $0.name == "a" })) }
      """,
      [
        "NotFinal:2: an entity is a final class: its objects are made by contexts, of exactly this type (from macro 'Entity')"
      ]
    ),
    "Structure": (
      "@Entity struct Structure {\n  @UID var uid: Int\n  var age = 4\n}",
      [
        "Structure:2: an entity is a final class, not a struct: each of its objects stands for one row (from macro 'Entity')"
      ]
    ),
    "Player": (
      "@Entity actor Player {\n  var uid: Int\n}",
      [
        "Player:2: an entity is a final class, not an actor: each of its objects stands for one row (from macro 'Entity')"
      ]
    ),
    "Generic": (
      "@Entity final class Generic<T> {\n  var uid: Int\n}",
      ["Generic:2: an entity can't be generic: its name is that of one table (from macro 'Entity')"]
    ),
    "Extended": (
      "final class Extended {}\n@Entity extension Extended {}",
      ["Extended:3: 'extension' macro cannot be attached to extension (extension of 'Extended')"]
    ),
    "Constant": (
      "@Entity final class Constant {\n  let uid: Int\n}",
      [
        "Constant:3: a property of an entity is a 'var': its value comes from a row; mark a constant '@Transient' (from macro 'Entity')"
      ]
    ),
    "Many": (
      "@Entity final class Many {\n  var a: Int, b: Int\n}",
      ["Many:3: declare each property of an entity in a line of its own (from macro 'Entity')"]
    ),
    "Observed": (
      "@Entity final class Observed {\n  var a: Int = 0 { didSet {} }\n}",
      [
        "Observed:3: a property of an entity has no 'didSet': merges and responses change it too; "
          + "use withObservationTracking, or mark it '@Transient' (from macro 'Entity')"
      ]
    ),
    "Untyped": (
      "@Entity final class Untyped {\n  var age = 18\n}",
      ["Untyped:3: 'age' needs a written type: a macro does not see the one that is inferred (from macro 'Entity')"]
    ),
    "Initialised": (
      "@Entity final class Initialised {\n  var age: Int\n  init(age: Int) { self.age = age }\n}",
      [
        "Initialised:4: an initializer of an entity is a convenience one, which calls 'self.init()' first "
          + "(from macro 'Entity')"
      ]
    ),
    "Hidden": (
      "@Entity final class Hidden {\n  private var age: Int\n}",
      ["Hidden:3: 'age' needs an initial value: it is private, so that no row has one for it (from macro 'Entity')"]
    ),
    "Listed": (
      "@Entity final class Listed {\n  @UID var uid: Int = 1\n  @Relationship(onDelete: .deny) var name: String\n}",
      [
        "Listed:3: a uid has no default: an object has none until the server gives it one (from macro 'Entity')",
        "Listed:4: " + noEntity,
      ]
    ),
    "Unstorable": (
      "struct Opaque {}\n@Entity final class Unstorable {\n  var opaque: Opaque\n  var targets: Set<Target>?\n}",
      ["Unstorable:4: " + noAttribute, "Unstorable:5: " + noAttribute]
    ),
    "Undecided": (
      "enum Choice: Int, AttributeValue { case a, b }\n@Entity final class Undecided {\n  var choice: Choice\n}",
      [
        "Undecided:4: 'property(_:_:key:index:transformer:)' is unavailable: a property of this type needs a "
          + "default value, for the time before a server sends one and for raw values that it does not know: give it one, "
          + "or make it optional"
      ]
    ),
    "Untransformed": (
      """
      enum Nothing {}
      @Entity final class Untransformed {
        @Transformed(by: Nothing.self) var age: Int
        @Transformed(by: Transformers.YesNo.self) var name: String?
        @Transformed(by: Transformers.YesNo.self) var target: Target?
        @Transformed(by: Transformers.YesNo.self) var isOn: Bool?
        @Unique var targets: [Target]
      }
      """,
      [
        "Untransformed:4: " + noTransformer, "Untransformed:5: " + noTransformer, "Untransformed:6: " + noTransformer,
        "Untransformed:8: " + noAttribute,
      ]
    ),
    "Subclass": (
      "class Super {}\n@Entity final class Subclass: Target { var more: Int }",
      ["Subclass:3: inheritance from a final class 'Target'"]
    ),
  ]

  private static let noAttribute =
    "'property(_:_:key:index:default:transformer:)' is unavailable: the type of this property does not "
    + "conform to 'AttributeValue': declare an enum or option set with a raw value 'enum Kind: String, AttributeValue', and a "
    + "Codable 'struct Settings: Codable, AttributeValue'; the elements of a list, set or dictionary are Codable, 'enum Kind: "
    + "String, Codable'; a relationship is to an entity, its Optional or an array of "
    + "entities, and is neither unique, indexed nor transformed"

  private static let noEntity =
    "'property(_:_:key:default:onDelete:)' is unavailable: a relationship is to an entity, its Optional or an array of entities"

  private static let noEntityWithInverse =
    "'property(_:_:key:inverse:onDelete:)' is unavailable: a relationship is to an entity, its Optional or an array of entities"

  private static let noUID =
    "'property(_:_:key:uid:index:default:transformer:)' is unavailable: a uid is an integer, a String or a UUID, or "
    + "the Optional of one; it is no other number, no date, no enum and no JSON, and has no transformer"

  private static let noTransformer =
    "'property(_:_:key:index:default:transformer:)' is unavailable: a transformer is for an attribute, of a type "
    + "that can be stored without it, and is an AttributeTransformer whose Value is that type or what its Optional holds"

  private static let noActor =
    "a property of an entity belongs to no actor: each object is isolated as its context is (from macro 'Entity')"

  private static let isArray =
    "a relationship to many is an array, which is empty where there are none (from macro 'Entity')"

  private static let pointsBack =
    "'property(_:_:key:inverse:onDelete:)' is unavailable: the inverse points back: it is a property of the other entity "
    + "that holds this one, its Optional or an array"
}
