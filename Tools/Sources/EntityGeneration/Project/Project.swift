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
    /// Places in files that a person and the document have changed.
    public var conflicts: [String] = []
    public var findings: [Finding] = []
    public var statistics = Generation.Statistics()

    /// Whether a person has to act before the run can be completed.
    public var needsPerson: Bool { !conflicts.isEmpty || changes.contains(where: \.needsPerson) }
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
    public var library = "../EntityClient"

    public init() {}
  }

  /// - Throws: ``GenerationError``; errors of the file system.
  public func run(_ mode: Mode, _ options: Options) throws -> Outcome {
    let known = try ProjectFile.read(in: folder)
    var settings = known?.settings ?? Settings()
    if let only = options.only { settings.only = only }
    if let prefix = options.prefix { settings.prefix = prefix }
    // Kept relative to the folder, so that another clone of the project finds them.
    let sources = options.sources.isEmpty ? known?.source ?? [] : options.sources.map { relative(URL(filePath: $0)) }
    let at = options.at ?? (options.sources.isEmpty ? known?.at : nil)
    var generation = try Source.read(sources, at: at, in: folder, settings: settings)
    if let known { generation.noteRemoved(since: known.model) }
    let package = options.package ?? known?.package
    let schema = options.schema ?? known?.schema ?? package.map { "Sources/\($0)" } ?? "Schema"
    let file = ProjectFile(
      source: sources, at: at, settings: settings, package: package, schema: schema, model: generation.model)
    var outcome = Outcome()
    outcome.findings = generation.findings
    outcome.statistics = generation.statistics
    if let known { outcome.changes = ModelComparison(old: known.model, new: generation.model).changes }
    // Without the merge the generated files would name properties that the classes lack.
    if mode == .diff || mode == .generate && outcome.needsPerson { return outcome }
    let name = sources.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
    var files = generation.files(source: name, layout: file.layout)
    if known == nil, let package { files += PackageFiles(name: package, library: options.library).files }
    let former = known.map { generation.replacing($0.model).files(source: name, layout: file.layout) } ?? []
    let texts = try merged(files, former, mode, settings, &outcome)
    guard outcome.conflicts.isEmpty else { return outcome }
    outcome.stale = stale(files, file.layout)
    for (path, text) in texts + [(ProjectFile.name, try file.text)] where try write(text, to: path) {
      outcome.written.append(path)
    }
    return outcome
  }

  /// The texts to write. A file of a person is left out, or merged.
  private func merged(
    _ files: [GeneratedFile], _ former: [GeneratedFile], _ mode: Mode, _ settings: Settings, _ outcome: inout Outcome
  ) throws -> [(String, String)] {
    let bases = Dictionary(former.map { ($0.path, $0.text) }, uniquingKeysWith: { first, _ in first })
    var texts: [(String, String)] = []
    for file in files {
      let isOwn = settings.own.contains { file.path == $0 || file.path.hasSuffix("/" + $0) }
      let current = try? String(contentsOf: folder.appending(path: file.path), encoding: .utf8)
      guard let current, file.owner == .person || isOwn else {
        if !isOwn || current == nil { texts.append((file.path, file.text)) }
        continue
      }
      guard mode == .apply, !isOwn, let base = bases[file.path], base != file.text else { continue }
      let merge = TextMerge(base: base, own: current, new: file.text)
      outcome.conflicts += merge.conflicts.map { conflict in
        "\(file.path):\(conflict.line): yours:\n"
          + (conflict.own.map { "    \($0)" } + ["  the document's:"] + conflict.new.map { "    \($0)" }).joined(
            separator: "\n")
      }
      texts.append((file.path, merge.text))
    }
    return texts
  }

  private func relative(_ url: URL) -> String {
    let own = folder.standardizedFileURL.pathComponents
    let other = url.standardizedFileURL.pathComponents
    let shared = zip(own, other).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: own.count - shared) + other[shared...]).joined(separator: "/")
  }

  private func write(_ text: String, to path: String) throws -> Bool {
    let url = folder.appending(path: path)
    if let current = try? Data(contentsOf: url), current == Data(text.utf8) { return false }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url, options: .atomic)
    return true
  }

  private func stale(_ files: [GeneratedFile], _ layout: Layout) -> [String] {
    let folder = "\(layout.schema)/Generated"
    let names =
      (try? FileManager.default.contentsOfDirectory(
        atPath: self.folder.appending(path: folder).path(percentEncoded: false))) ?? []
    let known = Set(files.map(\.path))
    return names.sorted().map { "\(folder)/\($0)" }.filter { $0.hasSuffix(".swift") && !known.contains($0) }
  }
}
