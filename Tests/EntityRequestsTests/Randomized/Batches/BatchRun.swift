import EntityClient
import EntityStore
import TestSupport

/// A history that runs on stores that differ in `rowsInBatch` alone, and the differences that come of it.
struct BatchRun {
  struct Difference: Error, CustomStringConvertible {
    let rowsInBatch: Int
    let step: Int
    let text: String

    var description: String { "rowsInBatch \(rowsInBatch) differs from 0 at step \(step): \(text)" }
  }

  let entities: [any ManagedEntity.Type]
  let profile: BatchProfile
  let sizes: [Int]

  /// Runs a history on all stores, step by step.
  ///
  /// - Returns: The first difference; `nil` where all go the same way.
  @MainActor func difference(_ history: [BatchStep]) async throws -> Difference? {
    let oracle = try BatchSubject(entities, profile, rowsInBatch: 0)
    let subjects = try sizes.map { ($0, try BatchSubject(entities, profile, rowsInBatch: $0)) }
    var before: [BatchReport.Section]?
    var hasRepeated = false
    for (number, step) in history.enumerated() {
      let expected = try await oracle.run(step)
      if case .response = step, expected.fails, let before,
        let text = BatchReport.difference(expected.tables, before)
      {
        return Difference(rowsInBatch: 0, step: number, text: "it failed, and wrote \(text)")
      }
      before = expected.tables
      let repeats = if case .response(let response) = step { response.body.repeats } else { false }
      hasRepeated = hasRepeated || repeats
      for (size, subject) in subjects {
        let report = try await subject.run(step)
        if let text = report.difference(to: expected, repeats: repeats, hasRepeated: hasRepeated) {
          return Difference(rowsInBatch: size, step: number, text: text)
        }
      }
    }
    return nil
  }

  /// A history with a difference, made as short as a limited number of trials makes it.
  @MainActor func shrunk(_ history: [BatchStep], _ difference: Difference) async -> ([BatchStep], Difference) {
    var run = self
    if difference.rowsInBatch > 0 {
      run = BatchRun(entities: entities, profile: profile, sizes: [difference.rowsInBatch])
    }
    var shrinker = BatchShrinker(Array(history.prefix(difference.step + 1)), difference)
    while let trial = shrinker.next() {
      shrinker.note((try? await run.difference(trial)) ?? nil)
    }
    return (shrinker.history, shrinker.difference)
  }
}
