/// The commits that a context has merged, and the observers to tell of them.
package final class NewsState {
  /// The last generation whose changes the objects know.
  package internal(set) var mergedGeneration: Int64 = 0
  /// Counts how often all objects of an entity were marked stale.
  var epoch: UInt32 = 0
  /// The epoch in which all objects of an entity were last marked stale, by entity.
  var markedEpochs: [UInt32]
  /// The rows whose observers have yet to be told.
  var telling: Telling
  /// Whether a commit is being taken over: observers are then told in turns.
  var isTakingOver = false
  /// The results that are kept up to date.
  var liveQueries = LiveQueries()
  /// Registrars of rows whose objects may be gone.
  var observed = ObservedRows()
  private(set) lazy var observerQuestion = ObserverQuestion()
  /// Searches for boxes and registrars of objects that are gone.
  var rounds = Rounds()
  var entryDepth = 0
  var notifications: [Notification] = []
  /// Notifications of merged commits, which wait for a turn of the main actor.
  var held: [Notification] = []

  /// An observable change. It is delivered when the context has finished its work.
  struct Notification {
    enum News {
      case property(Int)
      case deletion
      /// A request begins or ends to carry edits of the object.
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
