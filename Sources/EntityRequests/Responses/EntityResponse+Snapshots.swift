public import EntityStore

/// The values of a response's objects, for code that is not on the main actor.
extension EntityResponse {
  /// The values that the objects of the response have in the store now, in the order of ``ids``. Objects that were
  /// deleted since are left out.
  ///
  /// ```swift
  /// let emails = try await User.get().snapshots().map(\.email)
  /// ```
  ///
  /// - Throws: `StoreError`; ``RequestError`` of kind `storeGone`; `CancellationError`.
  public nonisolated(nonsending) func snapshots() async throws -> [EntitySnapshot<Entity>] {
    do { return atCaller(try await read(ids)) } catch { throw atCaller(error) }
  }

  /// The values of the objects of an entity that the response's parts have, as ``ids(of:)`` names them.
  ///
  /// - Parameter type: The entity of a part.
  /// - Throws: As ``snapshots()``.
  public nonisolated(nonsending) func snapshots<T: ManagedEntity>(
    of type: T.Type
  ) async throws -> [EntitySnapshot<T>] {
    do { return atCaller(try await read(ids(of: type))) } catch { throw atCaller(error) }
  }

  private nonisolated(nonsending) func read<T: ManagedEntity>(
    _ ids: [EntityID<T>]
  ) async throws -> [EntitySnapshot<T>] {
    guard let store else { throw RequestError(.storeGone, "The store of this response is gone.") }
    do {
      return atCaller(try await store.read { try $0.snapshots(ids) })
    } catch {
      throw atCaller(error)
    }
  }
}
