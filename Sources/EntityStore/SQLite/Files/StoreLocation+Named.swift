import Foundation

extension StoreLocation {
  /// A file in the folder that the system has for the data of an app. A missing folder is made.
  ///
  /// ```swift
  /// let store = try EntityStore(.named("main", app: "org.example.shop"), entities: [User.self])
  /// // ~/.local/share/org.example.shop/main.sqlite on Linux, or in $XDG_DATA_HOME; in Application Support elsewhere
  /// ```
  ///
  /// - Parameters:
  ///   - name: The file's name without extension.
  ///   - app: The folder of the app: by default its bundle identifier, or the name of its program where it has none.
  /// - Throws: ``StoreError`` of kind `invalidLocation` for a name that is empty or leads into another folder;
  ///   `cannotOpen` where the folder can't be made.
  public static func named(_ name: String, app: String? = nil) throws -> StoreLocation {
    try named(name, app: app, in: dataFolder(ProcessInfo.processInfo.environment))
  }

  static func named(_ name: String, app: String?, in dataFolder: URL) throws -> StoreLocation {
    let app = app ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    for part in [name, app] {
      let hasSeparator = part.utf8.contains { $0 == 0x2F || $0 == 0 }
      guard part.isEmpty || part.hasPrefix(".") || hasSeparator else { continue }
      throw StoreError(
        .invalidLocation, "'\(part)' is no name of a store or an app: it is empty, begins with a dot, or has a slash.")
    }
    let folder = dataFolder.appending(path: app, directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw StoreError(.cannotOpen, "The folder '\(folder.path)' can't be made: \(error.localizedDescription)")
    }
    return .file(folder.appending(path: name + ".sqlite"))
  }

  /// The base directory specification (https://specifications.freedesktop.org/basedir-spec/latest/) ignores a path that is not
  /// absolute.
  static func dataFolder(_ environment: [String: String]) -> URL {
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    #if os(Linux)
      return .homeDirectory.appending(path: ".local/share", directoryHint: .isDirectory)
    #else
      return .applicationSupportDirectory
    #endif
  }
}
