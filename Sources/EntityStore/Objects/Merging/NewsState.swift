/// The commits that a context has merged, and those who are to hear of them.
package final class NewsState {
  /// The last generation whose changes the objects know.
  package internal(set) var mergedGeneration: Int64 = 0
  /// Counts the times that all objects of an entity were marked stale.
  var epoch: UInt32 = 0
  /// The epoch in which that was last done, by entity.
  var markedEpochs: [UInt32]
  /// The observers that are to be told of it, and of changed rows.
  var telling: Telling
  /// Whether a commit is being taken over: observers are then told of it in turns.
  var isTakingOver = false
  /// Results that are kept up to date.
  var liveQueries = LiveQueries()
  /// Registrars of rows whose objects may be gone.
  var observed = ObservedRows()
  private(set) lazy var observerQuestion = ObserverQuestion()
  /// Looks for what is kept of objects that are gone.
  var rounds = Rounds()
  var entryDepth = 0
  var notifications: [Notification] = []

  /// An observable change, delivered when the context has ended its work.
  struct Notification {
    enum News {
      case property(Int)
      case deletion
      /// A request begins or ends to carry its edits.
      case sending
    }

    let object: any ManagedEntity
    let news: News
  }

  init(_ entities: [EntityModel]) {
    markedEpochs = entities.map { _ in 0 }
    telling = Telling(entities.map(\.all))
  }
}
