import EntityClient

@testable import EntityRequests
@testable import EntityStore

/// All that a step did, as lines in sections.
struct BatchReport {
  struct Section: Equatable {
    let name: String
    var lines: [String]
  }

  private(set) var sections: [Section] = []
  /// How many rows the step says it has written.
  var rowsWritten = 0
  /// Whether the step threw an error.
  var fails = false

  mutating func add(_ name: String, _ lines: [String]) { sections.append(Section(name: name, lines: lines)) }

  /// The tables of rows and notes. A failing response may have leased row ids.
  var tables: [Section] { sections.filter { $0.name.hasPrefix("table") && $0.name != "table _entity_store" } }

  /// The first line in which another report says otherwise.
  ///
  /// - Parameters:
  ///   - repeats: Whether the response may have an object twice. How often its row is written depends on the batches.
  ///   - hasRepeated: Whether one before may have, so that the history may have another number of lines.
  func difference(to other: BatchReport, repeats: Bool, hasRepeated: Bool) -> String? {
    let (mine, theirs) = hasRepeated ? (merged, other.merged) : (sections, other.sections)
    if let text = Self.difference(mine, theirs) { return text }
    return rowsWritten == other.rowsWritten || repeats ? nil : "\(rowsWritten) rows written, not \(other.rowsWritten)"
  }

  /// The sections with one line for the changes of a row in a commit.
  private var merged: [Section] {
    sections.map { section in
      guard section.name == "table _entity_changes" else { return section }
      var merged = section
      merged.lines = Set(section.lines).sorted()
      return merged
    }
  }

  static func difference(_ sections: [Section], _ others: [Section]) -> String? {
    for (mine, theirs) in zip(sections, others) where mine != theirs {
      guard mine.name == theirs.name else { return "\(mine.name) \(mine.lines), not \(theirs.name) \(theirs.lines)" }
      let place =
        zip(mine.lines, theirs.lines).enumerated().first { $1.0 != $1.1 }?.offset
        ?? min(mine.lines.count, theirs.lines.count)
      func line(_ lines: [String]) -> String { place < lines.count ? String(lines[place].prefix(2_000)) : "nothing" }
      return "\(mine.name), line \(place):\n  \(line(mine.lines))\nand not\n  \(line(theirs.lines))"
    }
    return sections.count == others.count ? nil : "\(sections.count) sections, not \(others.count)"
  }
}

extension BatchReport {
  static func lines<E>(of response: EntityResponse<E>, _ schema: SchemaModel) -> [String] {
    let details = response.details
    // The objects that a dry run inserts have ids that name nothing.
    let ids = response.isDryRun ? "\(response.ids.count)" : "\(response.ids.map(\.pk))"
    var lines = [
      "ids \(ids)", "\(withoutRows(response.counts))", "absent \(response.absentKeys)",
      "items \(response.isDryRun ? [] : response.items.map { "\($0.entityName) \($0.pk)" })",
      "dry \(response.isDryRun), uid \(response.lacksUID)",
    ]
    for model in schema.entities where !model.isLinks {
      let part = response.parts[model.type]
      if !part.pks.isEmpty || part.counts != EntityCounts() {
        let ids = response.isDryRun ? "\(part.pks.count)" : "\(part.pks)"
        lines.append("part \(model.name): \(ids) \(withoutRows(part.counts))")
      }
    }
    // Objects that were to be deleted stand in the order of their row ids, which say nothing.
    let skipped =
      details.skipped.filter { $0.reason != .denied }
      + details.skipped.filter { $0.reason == .denied }
      .sorted { ($0.entity, $0.uid ?? "") < ($1.entity, $1.uid ?? "") }
    lines += skipped.map {
      "skipped \($0.reason) \($0.entity) \($0.uid ?? "-") \($0.id?.pk ?? 0) \($0.properties) \($0.values): \($0)"
    }
    lines.append("skipped in all: \(details.skipped.total)")
    lines += details.refused.map { "refused \(text($0))" }
    lines.append("refused in all: \(details.refused.total)")
    lines += details.unreadKeys.map { "unread \($0)" }
    lines += details.unrecognized.map { "unrecognized \($0.entity).\($0.property) \($0.value) \($0.count)" }
    lines += details.wouldDelete.map { "would delete \($0)" }
    lines.append("would delete in all: \(details.wouldDelete.total)")
    return lines
  }

  private static func withoutRows(_ counts: EntityCounts) -> EntityCounts {
    var counts = counts
    counts.rowsWritten = 0
    return counts
  }

  private static func text(_ error: MappingError) -> String {
    "\(error.entity).\(error.property) key '\(error.key)' at \(error.place): \(error.reason)"
  }

  static func lines(of error: any Error) -> [String] {
    switch error {
    case let error as RequestError:
      return ["request error \(error.kind)"] + (error.underlying.map(lines) ?? [error.message])
    case let error as MappingError: return ["mapping error", text(error)]
    case let error as StoreError:
      // The statement that failed may be another one.
      return [
        "store error \(error.kind) of \(error.objects.map { "\($0.entityName) \($0.pk)" })", error.message,
        "\(error.conflicts)",
      ]
    default: return ["\(type(of: error)): \(error)"]
    }
  }
}
