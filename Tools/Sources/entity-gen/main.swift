import EntityGeneration
import Foundation

let arguments = CommandLine.arguments
let url = URL(fileURLWithPath: arguments[1])
let out = URL(fileURLWithPath: arguments[2])
do {
  let generation = try Source.document(url)
  for file in generation.files(source: url.lastPathComponent, layout: Layout(package: "Generated")) {
    let target = out.appending(path: file.path)
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(file.text.utf8).write(to: target)
  }
  print(generation.statistics)
  for finding in generation.findings where finding.kind == .broken { print("broken:", finding) }
  for finding in generation.findings where finding.kind == .open { print("open:", finding) }
} catch {
  print("error:", error)
  exit(1)
}
