// Objects are held weakly, and their end runs no code of ours. So a context keeps a box, and maybe a registrar, of an object
// that is gone. The uses of the context pay for looking for them: each sixteenth takes a sample, and where the sample has it
// that many are gone, a round goes through all. In the main context a round takes turns of the main actor, each of which is
// short. Only what the user holds, or observes, is left then, and no new object is needed for that.

/// When a context looks for what it keeps of objects that are gone.
struct Rounds {
  /// How many uses lie between two samples.
  static let interval = 16
  /// How many boxes or registrars a turn of the main actor looks at: about a millisecond.
  static let slice = 8_192

  fileprivate var uses = 0
  /// Whether a turn of the main actor is to go on.
  fileprivate var isScheduled = false
}

extension EntityContext {
  /// The context was used.
  ///
  /// - Parameter count: How often; a merge counts as many uses.
  func noteUse(_ count: Int = 1) {
    rounds.uses += count
    guard rounds.uses >= Rounds.interval else { return }
    let uses = rounds.uses
    rounds.uses = 0
    beginRounds(uses)
    guard isInRound else { return }
    guard kind == .main, let store = core.store else {
      while isInRound { goOn(.max) }
      return
    }
    guard !rounds.isScheduled else { return }
    rounds.isScheduled = true
    store.scheduleRound()
  }

  /// Goes on with the rounds in a turn of the main actor.
  func goOnWithRounds() {
    rounds.isScheduled = false
    goOn(Rounds.slice)
    guard isInRound, let store = core.store else { return }
    rounds.isScheduled = true
    store.scheduleRound()
  }

  private func beginRounds(_ uses: Int) {
    for map in objects { map.beginRound() }
    if kind == .main {
      observed.beginRound(uses: uses, areObjectsGone: objects.contains(where: \.isInRound))
      let count = observed.count
      for entity in objects.indices { telling.beginRound(entity, of: max(count, objects[entity].count)) }
    }
    for child in children.live { child.beginRounds(uses) }
  }

  private var isInRound: Bool {
    observed.isInRound || objects.contains(where: \.isInRound) || objects.indices.contains(where: telling.isInRound)
      || children.live.contains(where: \.isInRound)
  }

  /// - Parameter most: How many boxes and registrars are looked at, at most.
  private func goOn(_ most: Int) {
    var left = most
    for map in objects where map.isInRound && left > 0 { left -= map.goOn(left) }
    if observed.isInRound, left > 0 {
      left -= observed.goOn(left) { entity, pk, observers in
        // The object of a row has the registrar, and may be observed later.
        objects[entity][pk] != nil || observerQuestion.isObserved(observers.registrar)
      }
    }
    for (entity, model) in core.schema.entities.enumerated() where telling.isInRound(entity) && left > 0 {
      left -= telling.goOn(entity, left) { hasObservers(model, $0) }
    }
    for child in children.live where left > 0 { child.goOn(left) }
  }
}
