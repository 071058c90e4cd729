import EntityJSON
import EntityStore

// Nested values that name no object, where objects that can't be taken in are skipped (`.skipping`): an error object in place
// of an author, an element without its `node`. The object around is taken, and its relationship keeps its objects.

extension Mapper {
  /// Whether a value of a relationship is passed over. It is noted then.
  ///
  /// - Parameters:
  ///   - key: The key of the relationship.
  ///   - position: The position in a list.
  /// - Throws: ``DoubtfulDeletion`` when the value may be an object that seems to be missing.
  func passesOver(_ target: MappingPlan, _ value: JSONValue, in key: String, at position: Int? = nil) throws -> Bool {
    guard let passed = session.passed, let error = nameless(target, value, in: key, at: position) else { return false }
    if session.seen.isCollecting, session.seen.areAnyCollected(atOrAround: target.model, session.core.schema) {
      throw DoubtfulDeletion(place: session.places.current)
    }
    passed.note(error.at(session.places.current))
    return true
  }

  /// The error of a value that names no object; `nil` for any other value.
  private func nameless(
    _ target: MappingPlan, _ value: JSONValue, in key: String, at position: Int?
  ) -> MappingError? {
    if let fault = value.fault { return MappingError(target.model.name, fault: fault) }
    guard target.uidType != nil, session.needsUIDs, !session.embedsUnnamed, let object = value.object,
      !target.isOther(object), !target.isDeletion(object)
    else { return nil }
    // A uid that can't be read is another error, which is about the whole object.
    do { if try target.uid(of: object) != nil { return nil } } catch { return nil }
    return target.unnamedError().nested(in: key, at: position)
  }
}
