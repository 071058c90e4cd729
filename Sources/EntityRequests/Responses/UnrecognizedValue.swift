import EntityStore
import Foundation

/// A raw value in a response that is none of its property's type: mostly a case that an enum does not have yet.
public struct UnrecognizedValue: Sendable, Hashable {
  /// Empty for the type of an object in a ``ResponsePart`` of mixed entities.
  public let entity: String
  /// The property; for the type of an object in a part its key path.
  public let property: String
  /// The raw value as text, at most 200 characters of it.
  public let value: String
  /// How often the response had it.
  public internal(set) var count: Int
}

/// The unrecognized values of one response; at most 100 different ones, of which a broken response may have millions.
final class UnrecognizedValues {
  private(set) var all: [UnrecognizedValue] = []

  func note(_ entity: String, _ property: String, _ stored: StoredValue) {
    let text =
      switch stored {
      case .null: "null"
      case .integer(let integer): "\(integer)"
      case .real(let double): "\(double)"
      case .text(let text): stored.decimalNumber ?? text
      case .blob(let data): data.prefix(200).base64EncodedString()
      }
    let value = UnrecognizedValue(entity: entity, property: property, value: String(text.prefix(200)), count: 1)
    let known = all.firstIndex { $0.value == value.value && $0.property == property && $0.entity == entity }
    if let known { return all[known].count += 1 }
    if all.count < 100 { all.append(value) }
  }
}
