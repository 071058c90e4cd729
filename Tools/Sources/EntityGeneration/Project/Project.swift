public import Foundation

/// A folder that a document's entities are generated into.
public struct Project {
  public enum Mode: Sendable {
    /// Writes what is not there yet, and what is generated anew.
    case generate
    /// Writes nothing.
    case diff
    /// Merges changes of the document into the files of a person.
    case apply
  }

  public struct Outcome: Sendable {
    /// The paths that were written.
    public var written: [String] = []
    /// Generated files that nothing generates any more.
    public var stale: [String] = []
    public var changes: [Change] = []
    /// The files of a person that the run would write otherwise than the run before it.
    public var merges: [String] = []
    /// Places in files that a person and the document have changed.
    public var conflicts: [String] = []
    public var findings: [Finding] = []
    public var statistics = Statistics()
    /// Whether the run writes tests that read the examples.
    public internal(set) var hasTests = false

    /// Whether a person has to act before the run can be completed.
    public var needsPerson: Bool {
      !conflicts.isEmpty || !merges.isEmpty || changes.contains(where: \.needsPerson)
    }
  }

  let folder: URL

  public init(_ folder: URL) { self.folder = folder.standardizedFileURL }

  /// The options of the command that replace those of `entity-gen.json`.
  public struct Options: Sendable {
    public var sources: [String] = []
    public var at: String?
    public var only: [String]?
    public var prefix: String?
    public var package: String?
    /// The folder of the schema, below that of the project.
    public var schema: String?
    /// The folder or the URL of EntityClient, for the manifest of a package.
    public var library: String?
    /// Whether a merge keeps the person's lines where the document has changed them, too.
    public var keepsOwnLines = false

    public init() {}
  }

  /// - Throws: ``GenerationError``.
  public func run(_ mode: Mode, _ options: Options) throws -> Outcome {
    let known = try ProjectFile.read(in: folder)
    var settings = known?.settings ?? Settings()
    if let only = options.only { settings.only = only }
    if let prefix = options.prefix { settings.prefix = prefix }
    // Kept relative to the folder, so that another clone of the project finds them.
    let sources = options.sources.isEmpty ? known?.source ?? [] : options.sources.map { relative(URL(filePath: $0)) }
    let at = options.at ?? (options.sources.isEmpty ? known?.at : nil)
    let generation = try Source.read(sources, at: at, in: folder, settings: settings, former: known?.model)
    let package = options.package ?? known?.package
    let schema = options.schema ?? known?.schema ?? package.map { "Sources/\($0)" } ?? "Schema"
    var file = ProjectFile(
      source: sources, at: at, settings: settings, package: package, schema: schema, model: generation.model)
    var outcome = Outcome()
    outcome.findings = generation.findings.filter { file.layout.tests != nil || $0.kind != .unread }
    outcome.statistics = generation.statistics
    outcome.hasTests = file.layout.tests != nil
    let name = sources.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
    var files = generation.files(source: name, layout: file.layout)
    if known == nil, let package {
      let hasTests = file.layout.tests.map { tests in files.contains { $0.path.hasPrefix("\(tests)/") } } ?? false
      let library = options.library.map { $0.contains("://") ? $0 : relative(URL(filePath: $0)) }
      files +=
        PackageFiles(
          name: package, model: generation.model, library: library ?? PackageFiles.repository, hasTests: hasTests
        ).files
    }
    let bases = known.map { Self.bases(of: generation.model, in: $0, name, file.layout) } ?? [:]
    if let known {
      let own = Set(files.map(\.path).filter(settings.isOwn).map { String($0.split(separator: "/").last ?? "") })
      outcome.changes = ModelComparison(old: known.model, new: generation.model, own: own).changes
    }
    outcome.merges = files.filter { file in
      file.owner == .person && !settings.isOwn(file.path) && bases[file.path].map { $0.text != file.text } ?? false
    }.map(\.path)
    outcome.findings += Self.unusedSettings(settings, known?.unknownKeys ?? [], files)
    // Without the merge the generated files would name properties that the classes lack.
    if mode == .diff || mode == .generate && outcome.needsPerson { return outcome }
    let run = Run(settings: settings, generated: Set(known?.generated ?? []), keepsOwnLines: options.keepsOwnLines)
    let texts = try run.texts(files, bases, at: text(at:), &outcome)
    guard outcome.conflicts.isEmpty else { return outcome }
    let generated = files.filter { $0.owner == .generator && !settings.isOwn($0.path) }.map(\.path)
    let stale = Set(known?.generated ?? []).subtracting(generated).filter(exists)
    // A file that nobody deletes is named by each run, and one of a person, which may be moved, by one.
    file.generated = (generated + stale).sorted()
    let paths = Set(files.map(\.path))
    outcome.stale = Array(stale.subtracting(paths))
    let kept = paths.union(stale).union(paths.compactMap { bases[$0]?.path })
    for base in bases.values.sorted(by: { $0.path < $1.path }) where !kept.contains(base.path) {
      try noteLeft(base, &outcome)
    }
    outcome.stale.sort()
    for (path, text) in texts + [(Settings.file, try file.text)] where try write(text, to: path) {
      outcome.written.append(path)
    }
    return outcome
  }

  /// Notes a file of which nothing is made any more: it is stale, unless a person has written in it.
  private func noteLeft(_ base: GeneratedFile, _ outcome: inout Outcome) throws {
    guard let text = try text(at: base.path) else { return }
    guard text != base.text else { return outcome.stale.append(base.path) }
    outcome.findings.append(
      Finding(kind: .open, place: base.path, sentence: "Nothing of the document is in it any more; your lines are."))
  }

  /// The files of the run before by the paths that they have in this one: an entity may have got another name, and the
  /// schema another folder.
  private static func bases(
    of new: SchemaModel, in known: ProjectFile, _ source: String, _ layout: Layout
  ) -> [String: GeneratedFile] {
    let then = Generation(model: known.model).files(source: source, layout: known.layout)
    let now = Generation(model: known.model.renamed(as: new)).files(source: source, layout: layout)
    return Dictionary(zip(now.map(\.path), then), uniquingKeysWith: { first, _ in first })
  }

  private static func unusedSettings(
    _ settings: Settings, _ unknownKeys: [String], _ files: [GeneratedFile]
  ) -> [Finding] {
    let unused = settings.own.filter { own in
      var single = Settings()
      single.own = [own]
      return !files.contains { single.isOwn($0.path) }
    }
    let sentences =
      unknownKeys.sorted().map { "There is no setting '\($0)'." }
      + unused.map { "'own' has '\($0)', and no file of that name is generated." }
    return sentences.map { Finding(kind: .open, place: Settings.file, sentence: $0) }
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: path).path(percentEncoded: false))
  }

  /// - Returns: `nil` where there is no file.
  /// - Throws: ``GenerationError`` for a file that can't be read: it must not count as one that is not there.
  private func text(at path: String) throws(GenerationError) -> String? {
    guard exists(path) else { return nil }
    guard let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else {
      throw GenerationError(path, "The file can't be read as UTF-8, and so nothing was written.")
    }
    return text
  }

  private func relative(_ url: URL) -> String {
    let own = folder.standardizedFileURL.pathComponents
    let other = url.standardizedFileURL.pathComponents
    let shared = zip(own, other).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: own.count - shared) + other[shared...]).joined(separator: "/")
  }

  private func write(_ text: String, to path: String) throws(GenerationError) -> Bool {
    let url = folder.appending(path: path)
    if let current = try? Data(contentsOf: url), current == Data(text.utf8) { return false }
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url, options: .atomic)
    } catch {
      throw GenerationError(path, "The file can't be written: \(error.localizedDescription)")
    }
    return true
  }
}
