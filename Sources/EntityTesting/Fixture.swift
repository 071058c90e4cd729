public import EntityRequests
public import Foundation
import Testing

/// The bytes of a file in a folder `Fixtures`, which is beside the test's file or beside one of the folders above it.
///
/// ```swift
/// let users = try await User.upsert(from: fixture("users")).objects      // Fixtures/users.json
/// ```
///
/// No resources need to be declared: the file is read from the source folders.
///
/// - Parameters:
///   - name: The path of the file in the folder. `.json` is added to a name without extension.
///   - file: The test's file.
/// - Throws: ``NoFixture``; the file system's error for a file that can't be read.
public func fixture(_ name: String, file: String = #filePath) throws -> Data {
  let name = name.split(separator: "/").last?.contains(".") == true ? name : name + ".json"
  var looked: [String] = []
  var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
  while true {
    let fixtures = folder.appending(path: "Fixtures", directoryHint: .isDirectory)
    let url = fixtures.appending(path: name)
    if FileManager.default.fileExists(atPath: url.path) { return try Data(contentsOf: url) }
    looked.append(fixtures.path)
    guard folder.pathComponents.count > 1 else { throw NoFixture(name: name, folders: looked) }
    folder.deleteLastPathComponent()
  }
}

/// No folder that ``fixture(_:file:)`` searches has a file of the name.
public struct NoFixture: Error, CustomStringConvertible {
  public let name: String
  /// The folders, from the one beside the test's file upward.
  public let folders: [String]

  public var description: String { "There is no \"\(name)\" in \(folders.joined(separator: ", nor in "))." }
}

extension StubAnswer {
  /// A file that ``fixture(_:file:)`` finds, as the stub's response. The test fails where there is no such file.
  public static func fixture(
    _ name: String, status: Int = 200, contentType: String? = "application/json", headers: HTTPHeaders = [:],
    file: String = #filePath
  ) -> StubAnswer {
    StubAnswer { request in
      let body: Data
      do {
        body = try EntityTesting.fixture(name, file: file)
      } catch {
        // The request's own error does not name the file.
        Issue.record(error)
        throw error
      }
      return try await data(body, status: status, contentType: contentType, headers: headers).content(request)
    }
  }
}
