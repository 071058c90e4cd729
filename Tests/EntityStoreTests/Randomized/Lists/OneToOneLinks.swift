/// Which skipper each permit has, and which of both are there, by their codes.
struct OneToOneLinks: Equatable {
  var permits: [Int: Int?] = [:]
  var skippers: Set<Int> = []

  /// The permit of a skipper.
  func permit(of skipper: Int) -> Int? { permits.first { $0.value == skipper }?.key }

  mutating func link(_ permit: Int, _ skipper: Int?) {
    if let skipper, let former = self.permit(of: skipper) { permits[former] = .some(nil) }
    permits[permit] = .some(skipper)
  }

  mutating func free(_ skipper: Int) { if let permit = permit(of: skipper) { permits[permit] = .some(nil) } }

  /// A skipper takes the permit along when the deletion is saved: the model knows them as of the save.
  mutating func delete(skipper: Int) {
    if let permit = permit(of: skipper) { permits[permit] = nil }
    skippers.remove(skipper)
  }

  /// Takes back the unsaved changes of one permit, and those of the links that are in its way.
  mutating func rollBack(_ permit: Int, to saved: OneToOneLinks) {
    guard let former = saved.permits[permit] else { return permits[permit] = nil }
    rollBackLink(permit, to: former, saved)
  }

  private mutating func rollBackLink(_ permit: Int, to former: Int?, _ saved: OneToOneLinks) {
    let rival = former.flatMap { self.permit(of: $0) }
    permits[permit] = .some(former)
    guard let rival, rival != permit else { return }
    permits[rival] = .some(nil)
    rollBackLink(rival, to: saved.permits[rival] ?? nil, saved)
  }
}
