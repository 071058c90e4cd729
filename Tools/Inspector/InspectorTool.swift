import ArgumentParser
import EntityInspector
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Shows the file of a store in a browser.
@main struct InspectorTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entity-inspector",
    abstract: "Shows the file of a store in a browser: rows, local edits, what the server is yet to hear of, history.",
    discussion: """
      Prints a URL with a secret, which opens one browser of this machine. The pages follow each commit of the app that has the \
      file open. The file is only read. Ctrl-C ends the inspector.
      """)

  @Argument(help: "The file of a store.", completion: .file())
  var file: String

  @Option(help: "The port of 127.0.0.1; 0 for a free one.")
  var port: UInt16 = 0

  func run() throws {
    let inspector = try Inspector.start(file: URL(filePath: file), port: port, allowsRelease: true)
    print(inspector.url.absoluteString)
    // A program that reads the URL through a pipe waits for it.
    fflush(nil)
    while true { pause() }
  }
}
