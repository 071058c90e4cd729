/// One step in the life of a store's file: a change that the store can't make by itself.
///
/// ```swift
/// let store = try EntityStore(
///   .file(url), entities: [User.self],
///   migrations: [
///     Migration("split the name") { step in
///       try step.add("firstName", String.self, to: "User")
///       try step.add("lastName", String.self, to: "User")
///       try step.updateRows(of: "User") { row in
///         let parts = row["name", as: String.self]?.split(separator: " ", maxSplits: 1) ?? []
///         row["firstName", as: String.self] = parts.first.map(String.init)
///         row["lastName", as: String.self] = parts.count > 1 ? String(parts[1]) : ""
///       }
///       try step.drop("name", of: "User")
///     }
///   ])
/// ```
/// Each step runs once in a file, in the order of the list, each in its own transaction. The steps run before the
/// differences that the store removes by itself. The file keeps the names of the steps that it has run. A new file has
/// the names of all steps, and runs none. New steps are added at the end. A step stays in the list as long as there are
/// files that have run it. Its body may become empty when no file needs it.
public struct Migration: Sendable {
  public let name: String
  let body: @Sendable (Migration.Step) throws -> Void

  /// - Parameters:
  ///   - name: The name of the step, by which files know it. It never changes.
  ///   - body: Changes the file as it is. It names entities and properties by text, and uses no types of entities:
  ///     those change with the app, and the step does not. It runs on the thread that opens the store.
  public init(_ name: String, _ body: @escaping @Sendable (Migration.Step) throws -> Void) {
    self.name = name
    self.body = body
  }
}
