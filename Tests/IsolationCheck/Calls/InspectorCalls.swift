import EntityInspector
import Foundation

extension Scene {
  /// The inspector shows all rows, so that a release build starts it only where the app says so. The tests are debug builds,
  /// and this program is built in release.
  func checkInspector() {
    let sentence =
      "This is a release build, and the inspector shows all rows. Start it in debug builds alone, or with "
      + "allowsRelease: true."
    let starts: [(name: String, start: () throws -> Inspector)] = [
      ("start(_:)", { try Inspector.start(self.client) }),
      ("start(file:)", { try Inspector.start(file: URL(filePath: "/none.sqlite")) }),
    ]
    for (name, start) in starts {
      do {
        try start().stop()
        report.fail("Inspector.\(name) starts in a release build that does not allow it")
      } catch {
        if "\(error)" != sentence { report.fail("Inspector.\(name) in a release build: \(error)") }
      }
    }
    do {
      try Inspector.start(client, allowsRelease: true).stop()
    } catch {
      report.fail("Inspector.start(_:) does not start in a release build that allows it: \(error)")
    }
  }
}
