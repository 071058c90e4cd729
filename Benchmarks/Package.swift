// swift-tools-version: 6.2
import PackageDescription

/// The macro's plugin, as in the manifest of the package above.
let expansion: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_PLUGIN"].map {
    [.unsafeFlags($0.split(separator: "=", maxSplits: 1).map(String.init))]
  } ?? []

// A package of its own, so that users of EntityClient resolve and build nothing of it. `scripts/bench` runs it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "EntityClient", path: ".."),
    // A rival, and never a dependency of the library.
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
  ],
  targets: [
    .target(name: "CTransport", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "CRivals", linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Bench",
      dependencies: [
        "CRivals", "CTransport", .product(name: "Adapters", package: "EntityClient"),
        .product(name: "EntityClient", package: "EntityClient"),
        .product(name: "EntityJSON", package: "EntityClient"), .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ] + expansion),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
