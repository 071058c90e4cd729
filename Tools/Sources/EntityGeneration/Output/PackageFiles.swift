/// The manifest of a package with the schema as a library, and its tests.
struct PackageFiles {
  let name: String
  /// The repository and the version that the README names.
  static let repository = "https://github.com/entityclient/EntityClient.git"
  static let version = "0.1.0"

  /// A path, or the URL of a repository.
  let library: String
  /// A target without any file does not resolve.
  let hasTests: Bool

  var files: [GeneratedFile] {
    [
      GeneratedFile(path: "Package.swift", text: manifest, owner: .person),
      GeneratedFile(path: ".gitignore", text: ".build/\n.swiftpm/\n", owner: .person),
    ]
  }

  private var manifest: String {
    let dependency =
      library.contains("://")
      ? ".package(url: \(SwiftText.literal(library)), from: \(SwiftText.literal(Self.version)))"
      : ".package(name: \"EntityClient\", path: \(SwiftText.literal(library)))"
    let tests =
      hasTests
      ? """
      ,
          .testTarget(
            name: "\(name)Tests",
            dependencies: [
              "\(name)", .product(name: "EntityClient", package: "EntityClient"),
              .product(name: "EntityTesting", package: "EntityClient"),
            ],
            exclude: ["Fixtures"]),
      """ : ""
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "\(name)",
        platforms: [.macOS(.v15), .iOS(.v18)],
        dependencies: [
          \(dependency)
        ],
        targets: [
          .target(name: "\(name)", dependencies: [.product(name: "EntityClient", package: "EntityClient")])\(tests)
        ],
        swiftLanguageModes: [.v6]
      )

      """
  }
}
