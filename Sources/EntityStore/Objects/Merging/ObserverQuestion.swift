import Observation

/// Tells whether anybody observes the properties of a registrar. Observation itself has no API for this.
///
/// This tells a registrar of a change of a property that nobody observes. To look for observers of that property, the
/// registrar hashes the property's key path. It does not do so if it has no observer at all, because a look-up in an
/// empty dictionary hashes nothing. The key path contains a value that records whether it was hashed.
///
/// Observation does not promise any of this. So the question is first asked of a registrar with and without an
/// observer. If the result is wrong, all registrars count as observed.
final class ObserverQuestion: Observable {
  /// `Hashable`, because a key path requires it of its values.
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

  /// Whether the question works with this version of Observation.
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

  /// Whether a registrar may have an observer. An observer counts only after the closure that reads has ended.
  func isObserved(_ registrar: ObservationRegistrar) -> Bool { !isKnown || hears(registrar) }
}
