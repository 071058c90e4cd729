extension EntityStore {
  /// The changes that opening a store would make, without making them. The steps run too, and then everything is
  /// undone.
  ///
  /// A step must change nothing but its file: other effects are not undone. If a crash left a write-ahead log beside
  /// the file, the log is moved into the file, as when a store opens. The call runs on the calling thread, takes as
  /// long as the migration, and delays other writers of the file. `log` receives the statements. The other parameters
  /// are those of ``init(_:entities:removed:migrations:backup:keyStyle:busyTimeout:options:)``.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` and `invalidLocation`. Any other error of opening is in
  ///   ``Migration/Plan/error``.
  public static func migrationPlan(
    for location: StoreLocation, entities: [any ManagedEntity.Type], removed: [String] = [],
    migrations: [Migration] = [], backup: StoreBackup = .beside, busyTimeout: Duration = .seconds(5),
    log: StoreLog? = nil
  ) throws -> Migration.Plan {
    let declaration = try StoreDeclaration(
      SchemaModel(entities, keyStyle: .snakeCase), removed: removed, migrations: migrations, backup: backup)
    return try Migration.Plan.of(location, declaration, busyTimeout: busyTimeout, log: log)
  }
}
