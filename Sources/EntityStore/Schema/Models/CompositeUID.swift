/// The uid of an object whose entity has several `@UID` properties: a value for each of them.
///
/// ```swift
/// @Entity final class OrderLine {
///   @UID var order: Int
///   @UID var line: Int
///   var article: String?
/// }
/// let line = try context.fetch(OrderLine.self, uid: ["order": 5, "line": 2])      // by the names of the properties
/// let same = try context.fetch(OrderLine.self, uid: [5, 2])                       // in the order of their declaration
/// ```
public struct CompositeUID: Sendable, Hashable {
  private enum Content: Sendable, Hashable {
    case named([String: StoredValue])
    case ordered([StoredValue])
  }

  private let content: Content
  /// A name that was given twice.
  private var repeated: String?

  /// The values by the names of the properties.
  ///
  /// - Parameter parts: A value for each property that is marked as uid.
  public init(_ parts: [String: any UIDValue]) { content = .named(parts.mapValues(\.storedValue)) }

  /// The values in the order in which the properties are declared.
  ///
  /// - Parameter parts: A value for each property that is marked as uid.
  public init(_ parts: [any UIDValue]) { content = .ordered(parts.map(\.storedValue)) }

  /// The single value by which the store keeps the uid.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` for an entity without a composite uid, `invalidValue` for parts that the
  ///   entity does not have.
  package func stored(for model: EntityModel) throws -> StoredValue {
    guard let parts = model.uidParts else {
      throw StoreError(
        .invalidSchema,
        "'\(model.name)' has \(model.uid == nil ? "no uid" : "a uid of one property"), and no composite one.")
    }
    let values: [StoredValue?]
    switch content {
    case .named(let named):
      guard repeated == nil, named.count == parts.parts.count else { throw Self.other(model, parts) }
      values = parts.parts.map { named[$0.name] }
    case .ordered(let ordered):
      guard ordered.count == parts.parts.count else { throw Self.other(model, parts) }
      values = ordered
    }
    let found = try values.enumerated().map { place, value in
      guard let value, Self.fits(value, parts.type(place)) else { throw Self.other(model, parts) }
      return value
    }
    return UIDParts.uid(found)
  }

  private static func fits(_ value: StoredValue, _ type: AttributeType) -> Bool {
    switch (type, value) {
    case (.integer, .text(let text)): UInt64(text).map { $0 > UInt64(Int64.max) } ?? false
    default: value.uidText(.string).flatMap { StoredValue(uidText: $0, type) }?.isIdentical(to: value) ?? false
    }
  }

  private static func other(_ model: EntityModel, _ parts: UIDParts) -> StoreError {
    StoreError(
      .invalidValue, "The uid of '\(model.name)' has a value of its type for each of \(parts.label), and for no other.")
  }
}

extension CompositeUID: ExpressibleByDictionaryLiteral {
  /// `["order": 5, "line": 2]`
  public init(dictionaryLiteral parts: (String, any UIDValue)...) {
    self.init(Dictionary(parts) { first, _ in first })
    var names: Set<String> = []
    repeated = parts.lazy.map(\.0).first { !names.insert($0).inserted }
  }
}

extension CompositeUID: ExpressibleByArrayLiteral {
  /// `[5, 2]`
  public init(arrayLiteral parts: any UIDValue...) { self.init(parts) }
}

extension CompositeUID {
  /// The text in the uid's column.
  package func text(for model: EntityModel) throws -> String {
    guard case .text(let text) = try stored(for: model) else { return "" }
    return text
  }
}
