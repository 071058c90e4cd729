/// Mistakes in setters. A setter can't throw, so the next save throws them. An app may make any number of mistakes
/// before a save: only the first ones and the last one are remembered, and an equal one only once.
struct Refusals {
  /// How many mistakes are remembered, without the last one.
  static let limit = 100

  private var first: [StoreError] = []
  private var last: StoreError?

  var count: Int { first.count + (last == nil ? 0 : 1) }

  /// The remembered mistakes.
  var all: [StoreError] { first + (last.map { [$0] } ?? []) }

  mutating func append(_ error: StoreError) {
    guard !first.contains(where: { $0.message == error.message && $0.objects == error.objects }) else { return }
    if first.count < Self.limit { first.append(error) } else { last = error }
  }

  /// Forgets the mistakes that name only this object.
  mutating func removeAll(of object: AnyEntityID) {
    first.removeAll { $0.objects == [object] }
    if last?.objects == [object] { last = nil }
  }

  /// Forgets all mistakes.
  ///
  /// - Returns: The first mistake, with the objects of all others; `nil` if there is none.
  mutating func consume() -> StoreError? {
    let all = all
    self = Refusals()
    guard all.count > 1 else { return all.first }
    return all[0].naming(all.flatMap(\.objects))
  }
}
