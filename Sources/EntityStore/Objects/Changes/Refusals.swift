/// Mistakes in setters, which can't throw: the next save does. There are as many as an app makes before it saves, so that only
/// the first ones are remembered, each once, and the last one.
struct Refusals {
  /// How many are remembered besides the last one.
  static let limit = 100

  private var first: [StoreError] = []
  private var last: StoreError?

  var count: Int { first.count + (last == nil ? 0 : 1) }

  /// Those that are remembered.
  var all: [StoreError] { first + (last.map { [$0] } ?? []) }

  mutating func append(_ error: StoreError) {
    guard !first.contains(where: { $0.message == error.message && $0.objects == error.objects }) else { return }
    if first.count < Self.limit { first.append(error) } else { last = error }
  }

  /// Forgets the mistakes that name an object, and no other one.
  mutating func removeAll(of object: AnyEntityID) {
    first.removeAll { $0.objects == [object] }
    if last?.objects == [object] { last = nil }
  }

  /// Forgets all.
  ///
  /// - Returns: The first one, with the objects of the others; `nil` for none.
  mutating func consume() -> StoreError? {
    let all = all
    self = Refusals()
    guard all.count > 1 else { return all.first }
    return all[0].naming(all.flatMap(\.objects))
  }
}
