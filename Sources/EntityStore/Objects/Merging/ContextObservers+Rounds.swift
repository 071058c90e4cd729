// Objects are held weakly, and their end runs none of our code. So a context still has a box, and maybe a registrar, of
// an object that is gone. Uses of the context pay for the search: every sixteenth use takes a sample, and if many
// sampled objects are gone, a round visits all. In the main context, a round takes several short turns of the main
// actor. After a round only objects that the user holds or observes are left. This works even if no new object is made.

/// Decides when a context looks for boxes and registrars of objects that are gone.
struct Rounds {
  /// How many uses lie between two samples.
  static let interval = 16
  /// How many boxes or registrars a turn of the main actor looks at: about a millisecond.
  static let slice = 8_192

  fileprivate var uses = 0
  /// Whether a turn of the main actor is scheduled to continue.
  fileprivate var isScheduled = false
}

extension ContextObservers {
  /// Counts uses of the context.
  ///
  /// - Parameter count: The number of uses; a merge counts as several.
  func noteUse(_ count: Int = 1) {
    context.news.rounds.uses += count
    guard context.news.rounds.uses >= Rounds.interval else { return }
    let uses = context.news.rounds.uses
    context.news.rounds.uses = 0
    beginRounds(uses)
    guard isInRound else { return }
    guard context.kind == .main, let store = context.core.store else {
      while isInRound { goOn(.max) }
      return
    }
    guard !context.news.rounds.isScheduled else { return }
    context.news.rounds.isScheduled = true
    store.scheduleRound()
  }

  /// Continues the rounds in a turn of the main actor.
  func goOnWithRounds() {
    context.news.rounds.isScheduled = false
    goOn(Rounds.slice)
    guard isInRound, let store = context.core.store else { return }
    context.news.rounds.isScheduled = true
    store.scheduleRound()
  }

  private func beginRounds(_ uses: Int) {
    for map in context.loaded.objects { map.beginRound() }
    if context.kind == .main {
      context.news.observed.beginRound(uses: uses, areObjectsGone: context.loaded.objects.contains(where: \.isInRound))
      let count = context.news.observed.count
      for entity in context.loaded.objects.indices {
        context.news.telling.beginRound(entity, of: max(count, context.loaded.objects[entity].count))
      }
    }
    for child in context.lineage.children.live { child.observers.beginRounds(uses) }
  }

  private var isInRound: Bool {
    context.news.observed.isInRound || context.loaded.objects.contains(where: \.isInRound)
      || context.loaded.objects.indices.contains(where: context.news.telling.isInRound)
      || context.lineage.children.live.contains(where: \.observers.isInRound)
  }

  /// - Parameter most: The largest number of boxes and registrars to look at.
  private func goOn(_ most: Int) {
    var left = most
    for map in context.loaded.objects where map.isInRound && left > 0 { left -= map.goOn(left) }
    if context.news.observed.isInRound, left > 0 {
      left -= context.news.observed.goOn(left) { entity, pk, observers in
        // A row with an object keeps its registrar: the object may be observed later.
        context.loaded.objects[entity][pk] != nil || context.news.observerQuestion.isObserved(observers.registrar)
      }
    }
    for (entity, model) in context.core.schema.entities.enumerated()
    where context.news.telling.isInRound(entity) && left > 0 {
      left -= context.news.telling.goOn(entity, left) { hasObservers(model, $0) }
    }
    for child in context.lineage.children.live where left > 0 { child.observers.goOn(left) }
  }
}
