import ArgumentParser

/// The sample app: `scripts/demo` runs it.
@main
struct SampleApp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample-app",
    abstract: "Entities travel from an HTTP server through libcurl into SQLite and back.",
    discussion: """
      Without a subcommand it starts a sample API server on a free port of this machine, syncs its users into a file, \
      changes some on both sides, syncs again, stops the server, and lists the file from a second process.
      """,
    subcommands: [Demo.self, List.self],
    defaultSubcommand: Demo.self)
}
