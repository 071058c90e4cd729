/// How a server gives several objects by their ids in one request; see ``RemoteEntity/fetchesByID``.
///
/// ```swift
/// static var fetchesByID: FetchesByID? { .query("ids", limit: 100) }              // users?ids=1,2,3
/// static var fetchesByID: FetchesByID? { .query("id", .repeated, limit: 50) }     // users?id=1&id=2&id=3
/// ```
public struct FetchesByID: Sendable {
  /// How one parameter names several ids.
  public enum Style: Sendable {
    /// One parameter, with commas between the ids.
    case commas
    /// The parameter once for each id.
    case repeated
  }

  let name: String
  let style: Style
  let limit: Int

  /// A parameter of the query of the collection.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - style: How it names several ids.
  ///   - limit: The most ids of one request; at least 1.
  public static func query(_ name: String, _ style: Style = .commas, limit: Int = 100) -> FetchesByID {
    FetchesByID(name: name, style: style, limit: max(1, limit))
  }

  /// The query for some ids.
  func query(_ ids: [String]) -> QueryTexts {
    style == .commas ? [(name, ids.joined(separator: ","))] : ids.map { (name, $0) }
  }

  /// Whether an id stays one id.
  func takes(_ id: String) -> Bool { style == .repeated || !id.contains(",") }

  typealias QueryTexts = [(name: String, value: String)]
}
