import Foundation

/// The person's browser, where there is a screen for one.
enum Browser {
  static func open(_ url: URL) {
    #if os(macOS)
      let command = "open"
    #else
      let command = "xdg-open"
      let environment = ProcessInfo.processInfo.environment
      guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else { return }
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command, url.absoluteString]
    // Nothing of it may come between the lines of the screen.
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // The page shows the URL, too.
    try? process.run()
  }
}
