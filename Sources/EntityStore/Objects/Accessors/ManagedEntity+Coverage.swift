import Observation

/// The properties of an object that a response had, or that were set here: ``ManagedEntity/loaded``.
///
/// ```swift
/// user.loaded.contains(\.bio)      // whether `nil` is the server's word
/// ```
public struct LoadedProperties<E: ManagedEntity>: Sendable, Hashable {
  private let model: EntityModel
  private let missing: ColumnMask

  init(_ model: EntityModel, missing: ColumnMask) {
    self.model = model
    self.missing = missing
  }

  /// Whether a property is loaded: an attribute or a relationship. The uid always is.
  ///
  /// - Parameter keyPath: The property. What is no stored property, such as a computed one, counts as loaded.
  public func contains(_ keyPath: PartialKeyPath<E>) -> Bool {
    guard let index = model.index(of: keyPath) else { return true }
    return !missing.contains(index)
  }

  /// Whether all properties are loaded.
  public var areAll: Bool { missing.isEmpty }

  /// The names of the properties that are not loaded, in the order of their declaration.
  public var missingNames: [String] { missing.indices.map { model.properties[$0].name } }

  public static func == (left: Self, right: Self) -> Bool {
    left.model === right.model && left.missing == right.missing
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(missing) }
}

extension LoadedProperties: CustomStringConvertible {
  /// `all`, or the names of the properties that are missing.
  public var description: String { areAll ? "all" : "all but \(missingNames.joined(separator: ", "))" }
}

extension ManagedEntity {
  /// The properties that a response had, or that were set here. Observable.
  ///
  /// A list of a server often has a few properties of each object. The others read as `nil` or as their defaults, like
  /// properties without a value. An entity that tracks its coverage tells the two apart:
  ///
  /// ```swift
  /// @Entity final class User {
  ///   @UID var id: Int
  ///   var name: String?
  ///   var bio: String?
  ///   static var tracksCoverage: Bool { true }
  /// }
  /// if !user.loaded.contains(\.bio) { … }        // no response had a "bio"
  /// ```
  /// A response with the key loads the property, with `null` too. So does a value that is set here, and an object that is
  /// made here lacks nothing. A to-many relationship is loaded once a response has it: a member that is added here says
  /// nothing of the others. Of an entity that does not track its coverage, all properties count as loaded; of a
  /// placeholder, only the uid does.
  public var loaded: LoadedProperties<Self> {
    let state = _$state
    if let registrar = state.prepareRead(of: self) { registrar.access(self, keyPath: \Self.loaded) }
    return LoadedProperties(state.model, missing: state.lacking)
  }
}

extension ManagedEntity {
  /// The properties that are not loaded.
  package var lacking: ColumnMask {
    _$state.context?.fulfil(self)
    return _$state.lacking
  }

  /// Whether one of some properties is not loaded.
  package func lacks(_ properties: ColumnMask) -> Bool { !lacking.intersection(properties).isEmpty }
}

extension ObjectState {
  /// The properties that no response had and that were not set here, with unsaved changes.
  var lacking: ColumnMask {
    guard model.coverage != nil else { return flags.contains(.placeholder) ? model.coverable : ColumnMask() }
    return missing.subtracting(unsaved.intersection(model.stored))
  }

  func loadMissing(_ row: RowReader, _ coverage: Int) { missing = model.missing(row.value(coverage)).known }

  /// A response has a property, maybe with the value that the property has already.
  package func noteHeard(_ property: Int, of object: any ManagedEntity) {
    guard let coverage = model.coverage, missing.contains(property), let context else { return }
    missing.remove(property)
    let isFirst = dirty.isEmpty
    dirty.insert(coverage)
    fromResponse.insert(coverage)
    flags.insert(.hasChangedValues)
    if isFirst { context.unsaved.hold(object, self) }
    context.overlay.rowPending(model, pk, leavesLists: true, columns: ColumnMask(coverage))
    tellCoverage(of: object)
  }

  /// Tells the observers of ``ManagedEntity/loaded``.
  func tellCoverage(of object: any ManagedEntity) {
    guard let coverage = model.coverage, let context, observers != nil else { return }
    context.observers.notifyLater(object, coverage)
    context.observers.deliver()
  }
}

extension ContextAnswers {
  /// A response has an object. A new object of it lacks all properties, until the response has them.
  ///
  /// - Parameter isPlaceholder: Whether the response has only the uid.
  package func beginHearing(of object: any ManagedEntity, isMade: Bool, isPlaceholder: Bool = false) {
    let state = object._$state
    let model = state.model
    var own = ColumnMask()
    if isMade, let coverage = model.coverage {
      state.missing = model.coverable
      own.insert(coverage)
    }
    if let age = model.age, !isPlaceholder, let rows = context.rows,
      model.isOld(state.heard == 0 ? .null : .integer(state.heard), at: rows.stamp.seconds)
    {
      state.heard = rows.stamp.seconds
      own.insert(age)
    }
    guard !own.isEmpty else { return }
    let isFirst = state.dirty.isEmpty
    state.dirty.formUnion(own)
    state.fromResponse.formUnion(own)
    if isFirst { context.unsaved.hold(object, state) }
  }
}
