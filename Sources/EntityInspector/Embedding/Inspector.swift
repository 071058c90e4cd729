public import EntityRequests
import EntityStore
public import Foundation

/// Shows a store in a browser: its rows with local edits and links, what the server is yet to hear of, the history, and the
/// file. The pages follow each commit.
///
/// ```swift
/// let inspector = try Inspector.start(file: url)
/// print(inspector.url)               // http://127.0.0.1:51234/?token=…
/// ```
///
/// An app that starts it with its client also sees its requests: ``start(_:port:allowsRelease:)``.
///
/// It only reads. It answers the browser that opens ``url`` first, on this machine: the URL has a token, which is exchanged for a cookie,
/// once. Nothing is sent to another machine, and no other machine reaches the inspector.
///
/// The inspector runs on threads of its own until ``stop()``, also when nobody holds it.
public final class Inspector: Sendable {
  private let server: InspectorServer
  private let app: AppKnowledge
  private let rules = AccessRules()
  private let origin: URL

  /// The URL to open in a browser. It has a secret: a person who opens it first sees all rows. From then on this is another URL, for
  /// another browser.
  public var url: URL { origin.appending(queryItems: [URLQueryItem(name: "token", value: rules.token)]) }

  /// Begins to show a file, which other processes may have open. The file is opened anew for each page, and need not stay.
  ///
  /// - Parameters:
  ///   - file: The file of a store.
  ///   - port: The port of 127.0.0.1; 0 for a free one.
  ///   - allowsRelease: Whether the inspector also starts in a release build; see ``start(_:port:allowsRelease:)``.
  /// - Throws: ``InspectorError`` in a release build that does not allow it, where there is no store in the file, or where the
  ///   port is taken.
  public static func start(file: URL, port: UInt16 = 0, allowsRelease: Bool = false) throws -> Inspector {
    try checkBuild(allowsRelease)
    let location = StoreLocation.file(file)
    do { _ = try StoreFileReader(location) } catch let error as StoreError {
      // Another file is looked at. To open and close a store's file by other means would end this process's locks on it
      // (https://sqlite.org/howtocorrupt.html, section 2.2).
      let isOther = [.notAStore, .cannotOpen, .invalidLocation].contains(error.kind)
      throw InspectorError((isOther ? OtherFile(file)?.sentence : nil) ?? error.description)
    }
    return try Inspector(location, name: file.lastPathComponent, port: port)
  }

  /// Begins to show the store of a client, in a file or in memory; the plan of its outbox, its live queries; and the client's
  /// requests from now on: their times, their headers and bodies without secrets, what the store took of them and what it
  /// skipped, and which of them wrote a property.
  ///
  /// The last 500 requests are kept in memory, with at most 128 KiB of each body and 16 MiB of all.
  ///
  /// - Parameters:
  ///   - client: A client with a store. The inspector holds the client's observers, and neither the client nor its store.
  ///   - port: The port of 127.0.0.1; 0 for a free one.
  ///   - allowsRelease: Whether the inspector also starts in a release build, where each user of the machine could be given
  ///     all rows.
  /// - Throws: ``InspectorError`` in a release build that does not allow it, or where the port is taken; the error of a client
  ///   without a store; `StoreError`.
  public static func start(_ client: Client, port: UInt16 = 0, allowsRelease: Bool = false) throws -> Inspector {
    try checkBuild(allowsRelease)
    let location = try client.store.core.location
    _ = try StoreFileReader(location)
    return try Inspector(
      location, name: URL(filePath: location.description).lastPathComponent, port: port, AppKnowledge(client))
  }

  private static func checkBuild(_ allowsRelease: Bool) throws {
    #if !DEBUG
      guard allowsRelease else {
        throw InspectorError(
          "This is a release build, and the inspector shows all rows. Start it in debug builds alone, or with "
            + "allowsRelease: true.")
      }
    #endif
  }

  private init(
    _ location: StoreLocation, name: String, port: UInt16, _ app: AppKnowledge = AppKnowledge()
  ) throws {
    let site = Site(location: location, name: name, root: rules.root, app: app)
    self.app = app
    do {
      server = try InspectorServer(port: port, rules) { site.answer($0, $1) }
    } catch let error as ServerSocket.Failure {
      throw InspectorError("The inspector can't listen on port \(port) of 127.0.0.1: \(error.reason).")
    }
    guard let origin = URL(string: "http://127.0.0.1:\(server.port)/") else {
      throw InspectorError("The inspector has no URL.")
    }
    self.origin = origin
  }

  /// Ends the inspector. Pages that are open stay as they are.
  public func stop() {
    server.stop()
    app.observation?.end()
  }
}

/// The reason why an inspector does not start, for a person.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension InspectorError: LocalizedError {
  public var errorDescription: String? { description }
}
