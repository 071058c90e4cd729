import EntityJSON

/// A value in a response that its property can't take.
///
/// It names entity, property and key path, and the kind of the value; never the value itself.
public struct MappingError: Error, Sendable, CustomStringConvertible {
  public let entity: String
  /// The property; empty when the whole object is meant.
  public let property: String
  /// The key path in the object of the response, through nested objects: `chapters[3].title`. Positions count from 0.
  public internal(set) var key: String
  public let reason: String
  /// The position of the object in the array of the response, or in the array of its part, from 0.
  public internal(set) var position: Int?
  /// The key path of the part that the object stands in; see ``ResponsePart``.
  public internal(set) var part: String?
  /// The number of the part among the parts of the response: two parts may have one key path.
  var partNumber: Int?

  init(_ entity: String, _ property: String, _ key: String, _ reason: String) {
    self.entity = entity
    self.property = property
    self.key = key
    self.reason = reason
  }

  /// The error of a value that a path with brackets does not find.
  init(_ entity: String, _ property: String = "", fault: JSONShapeFault) {
    self.init(entity, property, fault.keyPath, fault.reason)
  }

  /// The error of a nested value, with the key path from its parent.
  func nested(in parent: String, at position: Int? = nil) -> MappingError {
    // An object made of the parent's own fields has no key path of its own.
    if parent.isEmpty, position == nil { return self }
    var error = self
    let place = position.map { "\(parent)[\($0)]" } ?? parent
    error.key = key.isEmpty ? place : "\(place).\(key)"
    return error
  }

  struct Place: Sendable, Hashable {
    var part: String?
    var partNumber: Int?
    var position: Int?

    /// For the beginning of a message.
    var name: String {
      let part = part.map { "'\($0.prefix(200).escaped)'" }
      return position.map { "Object \($0) of \(part ?? "the response")" } ?? part ?? "The response"
    }
  }

  var place: Place { Place(part: part, partNumber: partNumber, position: position) }

  /// The error with the place of its object.
  func at(_ place: Place) -> MappingError {
    var error = self
    error.position = position ?? place.position
    error.part = part ?? place.part
    error.partNumber = partNumber ?? place.partNumber
    return error
  }

  public var description: String {
    let name = property.isEmpty ? entity : "\(entity).\(property)"
    if key.isEmpty { return "\(Place(part: part, position: position).name) can't be read as '\(name)': \(reason)." }
    let part = part.map { "'\($0.prefix(200).escaped)'" }
    let places = position.map { ["object \($0)"] } ?? []
    let place = (places + (part.map { [$0] } ?? [])).map { " of \($0)" }.joined()
    return "'\(name)' can't be read from '\(key)'\(place): \(reason)."
  }
}

extension MappingError: LoggableError {}
