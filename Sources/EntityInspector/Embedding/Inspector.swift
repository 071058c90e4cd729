public import Foundation
import EntityStore

/// Shows a store in a browser: its rows with local edits and links, what the server is yet to hear of, the history, and the
/// file. The pages follow each commit.
///
/// ```swift
/// let inspector = try Inspector.start(file: url)
/// print(inspector.url)               // http://127.0.0.1:51234/?token=…
/// ```
///
/// It only reads. It answers the one browser that is given ``url``, on this machine: the first request has the token, which is
/// exchanged for a cookie. Nothing is sent to another machine, and no other machine reaches the inspector.
///
/// The inspector runs on threads of its own until ``stop()``, also when nobody holds it.
public final class Inspector: Sendable {
  private let server: InspectorServer

  /// The URL to open in a browser. It has a secret: who knows the URL sees all rows.
  public let url: URL

  /// Begins to show a file, which other processes may have open. The file is opened anew for each page, and need not stay.
  ///
  /// - Parameters:
  ///   - file: The file of a store.
  ///   - port: The port of 127.0.0.1; 0 for a free one.
  /// - Throws: ``InspectorError`` where there is no store in the file, or the port is taken.
  public static func start(file: URL, port: UInt16 = 0) throws -> Inspector {
    let location = StoreLocation.file(file)
    do { _ = try StoreFileReader(location) } catch let error as StoreError {
      throw InspectorError(OtherFile(file)?.sentence ?? error.description)
    }
    return try Inspector(location, name: file.lastPathComponent, port: port)
  }

  private init(_ location: StoreLocation, name: String, port: UInt16) throws {
    let rules = AccessRules()
    let site = Site(location: location, name: name, root: rules.root)
    do {
      server = try InspectorServer(port: port, rules) { site.answer($0, $1) }
    } catch let error as ServerSocket.Failure {
      throw InspectorError("The inspector can't listen on port \(port) of 127.0.0.1: \(error.reason).")
    }
    guard let url = URL(string: rules.url(port: server.port)) else { throw InspectorError("The inspector has no URL.") }
    self.url = url
  }

  /// Ends the inspector. Pages that are open stay as they are.
  public func stop() { server.stop() }
}

/// The reason why an inspector does not start, for a person.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension InspectorError: LocalizedError {
  public var errorDescription: String? { description }
}
