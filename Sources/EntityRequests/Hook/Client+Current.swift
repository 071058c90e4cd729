import EntityStore
import Synchronization

extension Client {
  @TaskLocal private static var override: Client?
  private static let installed = Mutex<Client?>(nil)

  /// Makes `client` the client that requests use in the whole process.
  ///
  /// - Throws: ``RequestError`` of kind `alreadyInstalled` when there is one and `replacing` is false.
  public static func install(_ client: Client, replacing: Bool = false) throws {
    try installed.withLock { installed in
      guard installed == nil || replacing else {
        throw RequestError(
          .alreadyInstalled, "A client is installed already. To replace it, install with `replacing: true`.")
      }
      installed = client
    }
  }

  /// Takes the installed client away, if there is one. Requests that are under way keep it.
  public static func uninstall() { installed.withLock { $0 = nil } }

  /// The client of the current task, else the installed one.
  ///
  /// - Throws: ``RequestError`` of kind `notInstalled`.
  public static var current: Client {
    get throws {
      if let client = override ?? installed.withLock({ $0 }) { return client }
      throw RequestError(
        .notInstalled,
        "There is no client. Install one at launch: `try Client.install(Client(adapter:store:baseURL:))`; in a test, "
          + "use `Client.withClient` or the trait `.client`.")
    }
  }

  /// Runs `operation` with `client` in place of the installed one. Child tasks inherit it; detached tasks and callbacks
  /// of others don't.
  public static func withClient<R>(_ client: Client, operation: () throws -> R) rethrows -> R {
    try $override.withValue(client, operation: operation)
  }

  /// Runs an async `operation` with `client` in place of the installed one. Isolation: `operation` runs where the
  /// caller is.
  public nonisolated(nonsending) static func withClient<R>(
    _ client: Client, operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    do {
      return atCaller(try await $override.withValue(client, operation: operation))
    } catch {
      throw atCaller(error)
    }
  }
}
