/// The values by which a service says "nothing" where others write null.
///
/// ```swift
/// // {"id": 7, "birthday": "", "photo": false, "address": [], "manager_id": 0}
/// static var nothing: NothingValues? { [.emptyText, .booleanFalse, .emptyList, .zeroID] }
/// static var nothingByProperty: [PartialKeyPath<User>: NothingValues] { [\.score: []] }     // "" stays an error here
/// ```
///
/// Such a value is read as null, and is an error for a property that is not optional, as null is. Without a declaration it
/// is an error for each property that can't have it. A value that the property can have is never nothing: an empty text in a
/// `String`, `false` in a `Bool`, an empty array in a list, an enum's own empty case. The declarations count for a
/// hand-written `update(with:)` too, in `assign`.
public struct NothingValues: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An empty text, for a number, a date, a URL, an enum, an object or a list.
  public static let emptyText = Self(rawValue: 1)
  /// `false`, for anything but a boolean.
  public static let booleanFalse = Self(rawValue: 2)
  /// An empty array, for a single object, a map or a single value. It is how PHP writes a map without entries.
  public static let emptyList = Self(rawValue: 4)
  /// 0 and `"0"` as the id of a related object, alone or in a list.
  public static let zeroID = Self(rawValue: 8)
}
