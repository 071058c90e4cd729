extension EntityStore {
  /// The changes that opening a store would make, without making them: the steps run too, and all is undone.
  ///
  /// A step must do nothing but change its file: what else it does is not undone. A log that a crash left beside the file is
  /// taken into it, as by any opening. It runs on the calling thread, takes as long as the migration, and holds up who writes
  /// to the file. `log` hears of the statements. The other parameters are those of
  /// ``init(_:entities:removed:migrations:backup:keyStyle:busyTimeout:options:)``.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` and `invalidLocation`. Any other error that opening would throw is in
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
