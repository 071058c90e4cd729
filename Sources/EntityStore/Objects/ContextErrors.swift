/// Why a context can't do what it is asked for.
extension StoreError {
  static var contextIsOver: StoreError {
    StoreError(.wrongContext, "The unit of work is over; its context can't be used any more.")
  }

  static var contextIsReadOnly: StoreError {
    StoreError(.readOnly, "A context of `read` can't change anything. Use `background` or the main context.")
  }

  static var contextWithoutStore: StoreError {
    StoreError(
      .storeGone, "The store is gone: nobody holds it any more. Hold it for as long as its objects are changed.")
  }

  static func foreign(_ object: any ManagedEntity) -> StoreError {
    if object._$state.loose != nil { return ContextEntrants.loose(object) }
    if object._$state.context == nil { return contextWithoutStore }
    return foreign(object._$state.model.name, object._$state)
  }

  static func foreign(_ entity: String, _ object: ObjectState? = nil) -> StoreError {
    StoreError(
      .wrongContext, "An object of '\(entity)' belongs to another context. Fetch it here by its entityID.",
      objects: object.map { [$0.id] } ?? [])
  }
}
