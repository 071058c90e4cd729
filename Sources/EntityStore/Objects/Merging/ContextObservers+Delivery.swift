import Observation

extension ContextObservers {
  /// The registrar to tell that a property of an object was read. Only the main context and its children have
  /// observers.
  func observer(of state: ObjectState) -> ObservationRegistrar? {
    // A stand-in for a missing target has no row that could change.
    guard context.kind == .main, state.pk != 0 else { return nil }
    if let registrar = state.registrar { return registrar }
    let observers = RowObservers()
    state.observers = observers
    context.news.observed.keep(observers, state.model.number, state.pk)
    keepTelling(state)
    return observers.registrar
  }

  /// - Parameter property: The changed property; `nil` for a deletion.
  func notifyLater(_ object: any ManagedEntity, _ property: Int?) {
    if !context.lineage.children.isEmpty {
      for child in context.lineage.children.live {
        child.family.parentTold(object._$state.model, object._$state.pk, property)
      }
    }
    guard object._$state.observers != nil else { return }
    context.news.notifications.append(
      NewsState.Notification(object: object, news: property.map { .property($0) } ?? .deletion))
  }

  /// Tells observers that a request begins or ends to carry edits of an object.
  func tellSending(_ object: any ManagedEntity) {
    guard object._$state.observers != nil else { return }
    context.news.notifications.append(NewsState.Notification(object: object, news: .sending))
    deliver()
  }

  /// Tells observers. They may call back: nothing is locked meanwhile, and the changes that they make are delivered
  /// too.
  func deliver() {
    guard context.news.entryDepth == 0, context.lineage.parent == nil || context.family.root.news.entryDepth == 0 else {
      return
    }
    if !context.saves.due.awakening.isEmpty { context.saving.awake() }
    while !context.news.notifications.isEmpty {
      let batch = context.news.notifications
      context.news.notifications = []
      for notification in batch {
        let state = notification.object._$state
        guard let registrar = state.registrar else { continue }
        switch notification.news {
        case .property(let property): state.model.notify(notification.object, property, registrar)
        case .deletion: state.model.notifyDeleted(notification.object, registrar)
        case .sending: state.model.notifySent(notification.object, registrar)
        }
      }
    }
  }
}
