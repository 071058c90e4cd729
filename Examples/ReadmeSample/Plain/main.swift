import Foundation

// The sample itself is in Sample.swift, as *First steps* prints it.
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: \(arguments[0]) BASE-URL FILE")
  exit(2)
}
try await sample(baseURL: arguments[1], file: URL(fileURLWithPath: arguments[2]))
