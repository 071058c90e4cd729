import ArgumentParser
import EntityGeneration
import Foundation

@main struct EntityGen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entity-gen",
    abstract:
      "Writes entities and their requests from an OpenAPI document; --only Task,User writes those and what they need.",
    discussion: """
      Reads OpenAPI 3.0 and 3.1 in JSON or YAML, a HAR file, or recorded responses.
      Classes are written once and are yours; requests are written anew by each
      run. `// choose:` stands where the document does not decide. The file
      entity-gen.json keeps the settings, and a later run needs no arguments.

        entity-gen openapi.yaml
        entity-gen openapi.yaml --package Studio
        entity-gen recording.har
        entity-gen responses/*.json --at GET:/users
        entity-gen --diff
        entity-gen --apply

      docs/generating.md of EntityClient is the guide.
      """)

  @Argument(help: "The document, the HAR file or the recorded responses; without one, that of entity-gen.json.")
  var sources: [String] = []

  @Option(help: "The folder to write to; by default this one, and with --package one of that name.")
  var output: String?

  @Option(
    help: "The folder of the schema in the output's folder; by default Schema, and with --package that of the module.")
  var schema: String?

  @Option(help: "Entities to write, with commas; what they need comes along.")
  var only: String?

  @Option(help: "Put before names that Swift has; by default the first word of the title.")
  var prefix: String?

  @Option(help: "Writes a package of this name: manifest, schema and tests.")
  var package: String?

  @Option(help: "The folder or the URL of EntityClient, for the manifest of the package; by default its repository.")
  var library: String?

  @Option(help: "The request that recorded responses are of, as GET:/users/{id}.")
  var at: String?

  @Flag(help: "Shows what a run would change; exits with 1 if you must act.")
  var diff = false

  @Flag(help: "Merges the changes of the document into your files.")
  var apply = false

  @Flag(help: "With --apply: keeps your lines where the document has changed them, too.")
  var keepMine = false

  @Flag(help: "Shows all findings, and not the first 20.")
  var verbose = false

  func validate() throws {
    if keepMine, !apply { throw ValidationError("--keep-mine says how --apply merges, and needs it.") }
    if diff, apply { throw ValidationError("--diff only shows what --apply does; choose one.") }
    if let package, package.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) == nil {
      throw ValidationError("'\(package)' can't be the name of a package and its module.")
    }
  }

  func run() throws {
    var options = Project.Options()
    options.sources = sources
    options.at = at
    options.only = only?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    options.prefix = prefix
    options.package = package
    options.schema = schema
    options.library = library
    options.keepsOwnLines = keepMine
    let outcome: Project.Outcome
    do {
      outcome = try Project(URL(filePath: output ?? package ?? ".", directoryHint: .isDirectory)).run(
        diff ? .diff : apply ? .apply : .generate, options)
    } catch {
      complain("error: \(error)")
      throw ExitCode(2)
    }
    report(outcome)
  }
}
