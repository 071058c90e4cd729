/// The settings of a run, which know whether the document has anything that they are about.
final class Decisions {
  let settings: Settings
  private var usedChoices: Set<String> = []
  private var usedNames: Set<String> = []

  init(_ settings: Settings) { self.settings = settings }

  /// - Parameters:
  ///   - key: As `Task.estimate`.
  ///   - isUsable: Whether the document has what the choice names.
  func choice(_ key: String, where isUsable: (String) -> Bool = { _ in true }) -> String? {
    guard let choice = settings.choices[key], isUsable(choice) else { return nil }
    usedChoices.insert(key)
    return choice
  }

  /// - Parameter key: The name of a type in the document, or `Task.title` for a property.
  func name(_ key: String) -> String? {
    usedNames.insert(key)
    return settings.names[key]
  }

  /// Notes each setting that nothing in the document has asked for, such as one with a mistake in its name.
  func noteUnused(_ findings: Findings) {
    for (title, keys) in [
      ("choices", Set(settings.choices.keys).subtracting(usedChoices)),
      ("names", Set(settings.names.keys).subtracting(usedNames)),
    ] {
      for key in keys.sorted() {
        findings.note(.open, Settings.file, "'\(title)' has '\(key)', which the document has nothing for.")
      }
    }
  }
}
