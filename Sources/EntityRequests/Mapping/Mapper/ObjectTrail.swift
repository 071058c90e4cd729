import EntityJSON

/// The objects that are being mapped, the outermost first, for the context of the innermost one.
///
/// Only objects whose plan has ``MappingPlan/isOnTrail`` are here.
final class ObjectTrail {
  private struct Step {
    let object: JSONObject
    let position: Int?
    /// Made when the first object that is nested in this one asks for its parent.
    var enclosing: ResponseContext.Enclosing?
  }

  /// The response that has the objects; `nil` for an upsert in a context.
  var delivery: ResponseContext.Delivery?
  private let places: ObjectPlaces
  // No access lasts while another function runs, so none needs an exclusivity check.
  @exclusivity(unchecked) private var steps: [Step] = []
  /// The position of the nested object that is mapped next, in its list.
  var position: Int?

  init(_ places: ObjectPlaces) { self.places = places }

  func enter(_ object: JSONObject) {
    steps.append(Step(object: object, position: steps.isEmpty ? places.current.position : position))
  }

  func leave() { steps.removeLast() }

  /// The context of the innermost object.
  var context: ResponseContext {
    guard let last = steps.indices.last else { return ResponseContext(places.current) }
    return context(at: last)
  }

  private func context(at place: Int) -> ResponseContext {
    ResponseContext(
      delivery, places.current, position: steps[place].position,
      enclosing: place == 0 ? nil : enclosing(at: place - 1))
  }

  private func enclosing(at place: Int) -> ResponseContext.Enclosing {
    if let known = steps[place].enclosing { return known }
    let enclosing = ResponseContext.Enclosing(steps[place].object, context(at: place))
    steps[place].enclosing = enclosing
    return enclosing
  }
}
