import Observation

/// Tells whether somebody observes the properties of a registrar. Observation itself has no such question.
///
/// It tells a registrar of a change of a property that nobody observes. To look for its observers, the registrar hashes the key
/// path of that property: not where it has no observer at all, as an empty dictionary hashes nothing. The key path has a value
/// in it that notes whether it is hashed.
///
/// None of that is promised. Each question is first put to a registrar with an observer. Where the answer is wrong, all
/// registrars count as observed.
final class ObserverQuestion: Observable {
  /// `Hashable` as a key path asks it of its values.
  private final class Mark: Hashable {
    var isHashed = false

    static func == (left: Mark, right: Mark) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { isHashed = true }
  }

  private let mark = Mark()
  private let registrar = ObservationRegistrar()
  private var watched: Int {
    registrar.access(self, keyPath: \.watched)
    return 0
  }

  private subscript(mark: Mark) -> Int { 0 }
  private lazy var marked = \ObserverQuestion.[mark]

  /// Whether the question has an answer here.
  private lazy var isKnown: Bool = {
    guard !hears(registrar) else { return false }
    withObservationTracking {
      _ = watched
    } onChange: {
    }
    let isHeard = hears(registrar)
    registrar.withMutation(of: self, keyPath: \.watched) {}
    return isHeard
  }()

  private func hears(_ registrar: ObservationRegistrar) -> Bool {
    mark.isHashed = false
    registrar.willSet(self, keyPath: marked)
    return mark.isHashed
  }

  /// Whether a registrar may have an observer. An observer counts once the closure that reads has ended.
  func isObserved(_ registrar: ObservationRegistrar) -> Bool { !isKnown || hears(registrar) }
}
