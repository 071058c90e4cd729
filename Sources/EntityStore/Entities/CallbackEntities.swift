/// An entity whose objects are checked before a save writes them.
///
/// ```swift
/// extension User: ValidatedEntity {
///   static var validationRules: [ValidationRule<User>] {
///     [.length(\.name, 1...80), .range(\.age, 0...150), .matches(\.email, /.+@.+/)]
///   }
///   func validate(_ problems: inout ValidationProblems<User>) {
///     if let end, end < start { problems.add(\.end, "is before the start") }
///   }
/// }
/// ```
/// A save checks the objects that were made or edited here, after ``SavingEntity/willSave()``. It throws one
/// ``StoreError`` of kind `invalidObject` with all ``StoreError/problems`` of all objects, and writes nothing. Values
/// from a server are not checked: neither those of a response nor those of `background(as: .server)`. Deleted objects
/// are not checked either.
///
/// Where `MainActor` is the default isolation of the module, the extension is `nonisolated`.
public protocol ValidatedEntity: ManagedEntity {
  /// The rules for single properties; none by default. Each save asks for them again.
  static var validationRules: [ValidationRule<Self>] { get }

  /// Adds the problems that no rule finds. Does nothing by default. It may read properties and fetch. It must neither
  /// set properties nor save.
  ///
  /// - Parameter problems: Takes the problems of this object.
  func validate(_ problems: inout ValidationProblems<Self>)
}

extension ValidatedEntity {
  public static var validationRules: [ValidationRule<Self>] { [] }
  public func validate(_ problems: inout ValidationProblems<Self>) {}

  /// The rules that the object breaks as it is now, for a form. Observers hear of changes of the properties that the
  /// rules read.
  public var validationProblems: [ValidationProblem] {
    var problems = ValidationProblems(self)
    problems.check(Self.validationRules)
    return problems.all
  }

  /// Checks the rules of the object at once, as a save does.
  ///
  /// - Throws: ``StoreError`` of kind `invalidObject` with all problems.
  public func validate() throws {
    let problems = validationProblems
    guard problems.isEmpty else { throw StoreError(problems) }
  }
}

/// An entity whose objects hear of a save before the save takes their values.
///
/// ```swift
/// extension Note: SavingEntity {
///   func willSave() { editedAt = Date() }
/// }
/// ```
public protocol SavingEntity: ManagedEntity {
  /// Called once for each save of a context, a child or a draft, and at the end of a unit of work, where the object was
  /// made or edited here since the last call. Not called for values from a server, nor for a deletion.
  ///
  /// It may set properties, also of other objects, insert and delete. Objects that it edits are saved with the rest,
  /// and get the call as well. It must not save. When it throws, the save throws the error, and nothing is written.
  func willSave() throws
}

/// An entity whose objects hear when they are made, and when they are read.
///
/// ```swift
/// extension Note: AwakeningEntity {
///   func awakeFromInsert() { createdAt = Date() }
///   func awakeFromFetch() { isLong = text.count > 1_000 }  // a @Transient property
/// }
/// ```
public protocol AwakeningEntity: ManagedEntity {
  /// Called once for an object that is made here: by `insert(Note.self)`, by `upsert(_:uid:)` where there was no
  /// object, and by `Note()`. The values that it sets are edits like any others. Not called for an object that comes
  /// with a response, nor when a draft hands its new object over.
  func awakeFromInsert()

  /// Called for each object of a row once the object has its values, before the call that read it returns. A later
  /// change of the row calls nothing. Objects that take in a response get no call.
  ///
  /// It is the place to set `@Transient` properties: a read or write of such a property first loads an object that is
  /// not loaded yet. A column that it sets is an unsaved edit. In `read`, which changes nothing, the next call throws.
  ///
  /// Where it reads a related object, that object awakes first. In a long chain of objects that each read the next one,
  /// the objects far down the chain awake later, after an earlier object has awoken.
  func awakeFromFetch()
}

extension AwakeningEntity {
  public func awakeFromInsert() {}
  public func awakeFromFetch() {}
}

extension EntityCallbacks {
  init(of type: any ManagedEntity.Type) {
    self = []
    if type is any ValidatedEntity.Type { insert(.validates) }
    if type is any SavingEntity.Type { insert(.saves) }
    if type is any AwakeningEntity.Type { insert(.awakes) }
  }
}
