import ArgumentParser
import EntityGeneration
import Foundation

extension EntityGen {
  /// Prints the work of a run on the output, and findings on the error output.
  func report(_ outcome: Project.Outcome) {
    show("broken in the document, and passed over", outcome.findings.filter { $0.kind == .broken })
    show("left open", outcome.findings.filter { $0.kind == .open })
    show("examples that no test reads", outcome.findings.filter { $0.kind == .unread })
    for change in outcome.changes { print(change) }
    if !apply { for path in outcome.merges { print("! \(path): `--apply` merges the changes into it.") } }
    for conflict in outcome.conflicts { complain("conflict: \(conflict)") }
    for path in outcome.stale { print("no more generated, delete it: \(path)") }
    if !outcome.written.isEmpty {
      let statistics = outcome.statistics
      print(
        "\(statistics.entities) entities with \(statistics.properties) properties, \(statistics.structs) structs, "
          + "\(statistics.enums) enums, \(statistics.calls) requests; \(statistics.open) to choose. "
          + "Wrote \(outcome.written.count) files.")
      if outcome.hasTests {
        print(
          "examples: \(statistics.examplesRead) of \(statistics.examples) read, and \(statistics.examplesMade) that were made."
        )
      }
    } else if !outcome.needsPerson, !diff {
      print("Nothing has changed.")
    }
    if !outcome.conflicts.isEmpty {
      complain(
        "Nothing was written. Settle the conflicts in your files, and run entity-gen --apply --keep-mine: it keeps your "
          + "lines there.")
      Self.exit(withError: ExitCode(1))
    }
    if diff, outcome.needsPerson { Self.exit(withError: ExitCode(1)) }
    if !apply, !diff, outcome.needsPerson {
      complain("Nothing was written: your files have to change. See it with --diff, and merge it with --apply.")
      Self.exit(withError: ExitCode(1))
    }
  }

  private func show(_ title: String, _ findings: [Finding]) {
    guard !findings.isEmpty else { return }
    complain("\(title): \(findings.count)")
    let shown = verbose ? findings.count : 20
    for finding in findings.prefix(shown) { complain("  \(finding)") }
    if findings.count > shown { complain("  and \(findings.count - shown) more; --verbose shows them") }
  }

  func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
