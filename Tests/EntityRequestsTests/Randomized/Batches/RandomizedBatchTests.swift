import EntityClient
import Foundation
import TestSupport
import Testing

/// Random histories of responses and local edits on stores that write rows one by one, and in batches of several sizes: all
/// come to the same rows, notes, results, errors and news.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
/// `ENTITYCLIENT_ROWS_IN_BATCH=7` compares batches of one size alone.
/// `ENTITYCLIENT_HISTORIES=/tmp/histories` names a folder to which the shortest history of a failure is written.
@Suite struct RandomizedBatchTests {
  @Test(arguments: BatchSchema.allCases) @MainActor func `batches change no result`(_ schema: BatchSchema) async throws
  {
    var sizes = Seeds.isLong || Seeds.one != nil ? [[1, 2, 7, 256]] : [[1, 7], [2, 256]]
    if let one = ProcessInfo.processInfo.environment["ENTITYCLIENT_ROWS_IN_BATCH"].flatMap({ Int($0) }) {
      sizes = [[one]]
    }
    await Seeds.each(schema == .plain ? 24 : 5, sanitized: 1, schema.rawValue) { seed, steps in
      let model = try SchemaModel(schema.entities, keyStyle: .snakeCase)
      var generator = BatchGenerator(schema, model, seed)
      let history = generator.history()
      let run = BatchRun(
        entities: schema.entities, profile: generator.profile, sizes: sizes[Int(seed) % sizes.count])
      guard let difference = try await run.difference(history) else { return }
      let (shrunk, last) = await run.shrunk(history, difference)
      steps = shrunk.enumerated().map { "\($0): \($1.text(model))" }.joined(separator: "\n")
      if let folder = ProcessInfo.processInfo.environment["ENTITYCLIENT_HISTORIES"] {
        let url = URL(fileURLWithPath: folder).appendingPathComponent("\(schema.rawValue)-\(seed).txt")
        try? Data("\(difference)\n\nShrunk: \(last)\n\(steps)\n".utf8).write(to: url)
      }
      throw last
    }
  }
}
