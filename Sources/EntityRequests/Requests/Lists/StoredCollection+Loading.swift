public import EntityStore
public import Foundation

extension StoredCollection {
  /// Asks the server for the beginning of the list, without a screen. The objects of the response are those of the first
  /// page. A 304 leaves the list as it is.
  ///
  /// - Parameters:
  ///   - store: Where the list is; by default the client's.
  ///   - progress: Called on any thread with the progress of the request.
  /// - Throws: ``RequestError``; `CancellationError`; `StoreError`; the errors of the closure that changes the requests.
  ///   The list stays as it was, unless the error is of kind `pagination` and says that the next page can't be told: then the
  ///   page is in the list.
  @discardableResult
  public nonisolated(nonsending) func load(
    in store: EntityStore? = nil, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<E> {
    do { return atCaller(try await run(.refresh, store, progress)) } catch { throw atCaller(error) }
  }

  /// Asks the server for the page behind the list, and puts the page's objects at its end. Without a list, the first page
  /// is asked for. Where the list begins anew meanwhile, the page that fits it then is asked for.
  ///
  /// - Parameters:
  ///   - store: Where the list is; by default the client's.
  ///   - progress: Called on any thread with the progress of the request.
  /// - Returns: The page. It has no objects, and nothing was sent, where there are no more.
  /// - Throws: As ``load(in:progress:)``.
  @discardableResult
  public nonisolated(nonsending) func loadMore(
    in store: EntityStore? = nil, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<E> {
    do { return atCaller(try await run(.more, store, progress)) } catch { throw atCaller(error) }
  }

  /// Asks the server for the page before the list, and puts the page's objects at its beginning: for a list with pages
  /// before its first one.
  ///
  /// - Parameters:
  ///   - store: Where the list is; by default the client's.
  ///   - progress: Called on any thread with the progress of the request.
  /// - Returns: The page. It has no objects, and nothing was sent, where there are no earlier ones.
  /// - Throws: As ``load(in:progress:)``.
  @discardableResult
  public nonisolated(nonsending) func loadEarlier(
    in store: EntityStore? = nil, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<E> {
    do { return atCaller(try await run(.earlier, store, progress)) } catch { throw atCaller(error) }
  }

  /// The facts that the store knows of the list, without a request.
  ///
  /// - Parameter store: Where the list is; by default the client's.
  /// - Returns: `nil` where nothing was loaded.
  /// - Throws: As ``load(in:progress:)``.
  public nonisolated(nonsending) func status(in store: EntityStore? = nil) async throws -> CollectionStatus? {
    do { return atCaller(try await found(store)) } catch { throw atCaller(error) }
  }

  /// Removes the list from the store: its members, their order and the place of the next page. The objects stay, and the
  /// next ``load(in:progress:)`` begins anew. For lists that nobody shows again, as those of old searches.
  ///
  /// The list is that of the account which is signed in: remove it before the account changes. A load that is under way makes
  /// the list anew.
  ///
  /// - Parameter store: Where the list is; by default the client's.
  /// - Throws: As ``load(in:progress:)``.
  public nonisolated(nonsending) func remove(in store: EntityStore? = nil) async throws {
    let client = try Client.current
    let key = try key(client)
    do {
      atCaller(try await (store ?? client.store).core.unit { rows in try rows.collections.remove(key) })
    } catch {
      throw atCaller(error)
    }
  }

  private nonisolated(nonsending) func run(
    _ step: ListStep, _ store: EntityStore?, _ progress: RequestProgressHandler?
  ) async throws -> EntityResponse<E> {
    var exchange = try exchange(step, store)
    if let progress { exchange = exchange.heard(by: progress) }
    let response: EntityResponse<E>
    do { response = atCaller(try await exchange.run()) } catch { throw atCaller(error) }
    return MainMerge.merged(response, #isolation)
  }

  private nonisolated(nonsending) func found(_ store: EntityStore?) async throws -> CollectionStatus? {
    let exchange = try exchange(.refresh, store)
    do { return atCaller(try await exchange.known()).map { CollectionStatus($0.extent, $0.note) } } catch {
      throw atCaller(error)
    }
  }

  func exchange(_ step: ListStep, _ store: EntityStore?) throws -> CollectionExchange<E> {
    let client = try Client.current
    return try CollectionExchange(self, client, store ?? client.store, step)
  }
}

/// How far the list of a ``StoredCollection`` was walked, and how old it is.
public struct CollectionStatus: Sendable, Equatable {
  /// Whether a page is behind the last member.
  public let hasMore: Bool
  /// Whether a page is before the first member.
  public let hasEarlier: Bool
  /// Whether the members are all that the server's pages had.
  public let isComplete: Bool
  /// When the server last sent or confirmed the first page.
  public let lastLoaded: Date

  init(_ extent: ListExtent, _ note: CollectionNote) {
    (hasMore, hasEarlier, isComplete) = (extent.hasMore, extent.hasEarlier, extent.isComplete)
    lastLoaded = Date(timeIntervalSince1970: note.time)
  }
}
