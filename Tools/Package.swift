// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of EntityClient resolve nothing of it. The scripts build it in the folder of the package
// above, and so compile what both need once. A user runs its tools out of the checkout:
// swift run --package-path .build/checkouts/EntityClient/Tools --scratch-path .build/tools entity-gen --help

/// CI and `scripts/test` set this: a warning then fails the build.
let strict: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The features of the package above.
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + strict

/// The macro's plugin, as in the manifest of the package above.
let expansion: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_PLUGIN"].map {
    [.unsafeFlags($0.split(separator: "=", maxSplits: 1).map(String.init))]
  } ?? []

let package = Package(
  name: "EntityClientTools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "entity-gen", targets: ["entity-gen"]),
    .executable(name: "entity-inspector", targets: ["InspectorTool"]),
  ],
  dependencies: [
    .package(name: "EntityClient", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: [
    // It needs the JSON reader of the package above alone: neither swift-syntax nor the store is built for it.
    .target(
      name: "EntityGeneration",
      dependencies: [
        .product(name: "EntityJSON", package: "EntityClient"), .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "entity-gen",
      dependencies: [
        "EntityGeneration", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "InspectorTool",
      dependencies: [
        .product(name: "EntityInspector", package: "EntityClient"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Inspector", swiftSettings: settings),
    // For scripts/inspector-test: an app that embeds the inspector.
    .executableTarget(
      name: "InspectedApp",
      dependencies: [
        .product(name: "EntityClient", package: "EntityClient"),
        .product(name: "EntityInspector", package: "EntityClient"),
      ],
      path: "InspectedApp", swiftSettings: settings + expansion),
    .testTarget(
      name: "EntityGenerationTests", dependencies: ["EntityGeneration"], exclude: ["Documents", "Expected"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
