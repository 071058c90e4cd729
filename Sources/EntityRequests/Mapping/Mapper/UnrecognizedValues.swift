import EntityStore

/// The unrecognized values of one response. At most 100 different values are kept, because a broken response may have
/// millions.
final class UnrecognizedValues {
  static let limit = 100

  private(set) var all: [UnrecognizedValue] = []

  func note(_ entity: String, _ property: String, _ stored: StoredValue) {
    let value = UnrecognizedValue(entity: entity, property: property, value: stored.excerpt, count: 1)
    let known = all.firstIndex { $0.value == value.value && $0.property == property && $0.entity == entity }
    if let known { return all[known].count += 1 }
    if all.count < Self.limit { all.append(value) }
  }
}
