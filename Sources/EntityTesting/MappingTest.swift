public import EntityJSON
public import EntityRequests
public import EntityStore
public import Foundation
public import Testing

/// The outcome for the body of a response: expectations about its one object, in the current client's store.
///
/// ```swift
/// @Test @MainActor func aUserHasTheServersValues() async throws {
///   let test = try await MappingTest(User.self, fixture("user"))
///   test.expect(\.email, "ada@example.com")
///   test.expectLink(\.address, uid: 7)
///   test.expectLinks(\.posts, uids: [1, 2])
///   test.expectNothingElse()
///   try await test.expectNothingNewAgain()
/// }
/// ```
///
/// An expectation that does not hold is an issue of the test, at the line of the expectation.
@MainActor public final class MappingTest<E: RemoteEntity> {
  /// The object, in the main context.
  public let object: E
  public let response: EntityResponse<E>

  private let body: Data
  private let options: ResponseOptions<E>
  private var expected: Set<Int> = []

  /// Reads a body into the current client's store, as the response to a request.
  ///
  /// - Throws: ``MappingTestError`` for a body with no object or with several; the errors of `upsert(from:)`.
  public init(_ type: E.Type, _ body: Data, options: ResponseOptions<E> = []) async throws {
    (self.body, self.options) = (body, options)
    response = try await E.upsert(from: body, options: options)
    guard response.ids.count == 1, let object = try response.object else {
      throw MappingTestError("The body has \(response.ids.count) objects of '\(E.entityName)', and not one.")
    }
    self.object = object
  }

  /// The same, with a literal as the body.
  public convenience init(_ type: E.Type, _ body: JSONValue, options: ResponseOptions<E> = []) async throws {
    try await self.init(type, body.rawBytes, options: options)
  }

  /// Expects the value of an attribute.
  public func expect<Value: Equatable>(
    _ property: KeyPath<E, Value>, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    let found = object[keyPath: property]
    #expect(found == value, "\(name)", sourceLocation: sourceLocation)
  }

  /// Passes the value of a property to a closure with expectations about it, for example for an embedded object.
  ///
  /// ```swift
  /// test.expect(\.address) { #expect($0?.city == "London") }
  /// ```
  public func expect<Value>(_ property: KeyPath<E, Value>, _ body: (Value) throws -> Void) rethrows {
    _ = note(property)
    try body(object[keyPath: property])
  }

  /// Expects that a link leads to no object.
  public func expectNoLink<Target: ManagedEntity>(
    _ property: KeyPath<E, Target?>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    #expect(object[keyPath: property] == nil, "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects a link to the object with a uid.
  public func expectLink<Target: ManagedEntity, UID: UIDValue>(
    _ property: KeyPath<E, Target?>, uid: UID, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    let found = object[keyPath: property].map { Self.text($0.serverUID) }
    #expect(found == Self.text(uid.storedValue), "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects a required link to the object with a uid.
  public func expectLink<Target: ManagedEntity, UID: UIDValue>(
    _ property: KeyPath<E, Target>, uid: UID, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    let found = Self.text(object[keyPath: property].serverUID)
    #expect(found == Self.text(uid.storedValue), "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects the members of a relationship by their uids: in this order if the relationship is ordered, otherwise in
  /// any order.
  public func expectLinks<Target: ManagedEntity, UID: UIDValue>(
    _ property: KeyPath<E, [Target]>, uids: [UID], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    var found = object[keyPath: property].map { Self.text($0.serverUID) }
    var expected = uids.map { Self.text($0.storedValue) }
    if !isOrdered(property) {
      found.sort()
      expected.sort()
    }
    #expect(found == expected, "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects a link to the object with a composite uid.
  public func expectLink<Target: ManagedEntity>(
    _ property: KeyPath<E, Target?>, uid: CompositeUID, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    let found = object[keyPath: property].map { Self.text($0.serverUID) }
    #expect(found == text(uid, of: Target.self), "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects a required link to the object with a composite uid.
  public func expectLink<Target: ManagedEntity>(
    _ property: KeyPath<E, Target>, uid: CompositeUID, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    let found = Self.text(object[keyPath: property].serverUID)
    #expect(found == text(uid, of: Target.self), "\(name)", sourceLocation: sourceLocation)
  }

  /// Expects the members of a relationship by their composite uids: in this order if the relationship is ordered,
  /// otherwise in any order.
  public func expectLinks<Target: ManagedEntity>(
    _ property: KeyPath<E, [Target]>, uids: [CompositeUID], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = note(property)
    var found = object[keyPath: property].map { Self.text($0.serverUID) }
    var expected = uids.map { text($0, of: Target.self) }
    if !isOrdered(property) {
      found.sort()
      expected.sort()
    }
    #expect(found == expected, "\(name)", sourceLocation: sourceLocation)
  }

  private func text<Target: ManagedEntity>(_ uid: CompositeUID, of type: Target.Type) -> String {
    guard let schema = object.entityContext?.core.schema else { return "no store" }
    do { return try Self.text(uid.stored(for: schema.model(type))) } catch { return "\(error)" }
  }

  /// Expects that no other property has a value: attributes that this test has not named have their defaults, and
  /// relationships are empty. The uid need not be named.
  public func expectNothingElse(sourceLocation: SourceLocation = #_sourceLocation) {
    for property in model.properties where !expected.contains(property.index) && !property.isUID {
      guard !property.isHidden, let value = unexpected(property) else { continue }
      Issue.record(
        "'\(E.entityName).\(property.name)' is \(value), which no expectation names.", sourceLocation: sourceLocation)
    }
  }

  /// Expects that a second read of the same body writes nothing.
  ///
  /// - Throws: The errors of `upsert(from:)`.
  public func expectNothingNewAgain(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let again = try await E.upsert(from: body, options: options)
    #expect(again.counts.rowsWritten == 0, "the same body again", sourceLocation: sourceLocation)
    #expect(again.ids == response.ids, "the same body again", sourceLocation: sourceLocation)
  }

  private var model: EntityModel { object._$state.model }

  /// Notes that the test names a property.
  ///
  /// - Returns: The property's name in issues.
  private func note(_ property: PartialKeyPath<E>) -> String {
    guard let index = model.index(of: property) else { return "\(E.entityName): \(property)" }
    expected.insert(index)
    return "\(E.entityName).\(model.properties[index].name)"
  }

  private func isOrdered(_ property: PartialKeyPath<E>) -> Bool {
    model.index(of: property).map { model.properties[$0].isOrdered } ?? false
  }

  /// The value of a property, if it is not the default.
  private func unexpected(_ property: PropertyModel) -> String? {
    switch property.kind {
    case .attribute:
      var mask = ColumnMask()
      mask.insert(property.index)
      let value = object.loadedValues(mask)[property.index]
      return value == property.defaultValue ? nil : "\(value)"
    case .toMany where property.isCounterpart, .toOne:
      return (object[keyPath: property.keyPath] as? any ManagedEntity).map { "\($0)" }
    case .toMany, .manyToMany:
      let members = object[keyPath: property.keyPath] as? [any ManagedEntity] ?? []
      return members.isEmpty ? nil : "a list of \(members.count)"
    }
  }

  private static func text(_ uid: StoredValue?) -> String { uid.map { "\($0)" } ?? "no uid" }
}

/// The error of a ``MappingTest`` that can't be made.
public struct MappingTestError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
