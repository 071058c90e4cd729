// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of EntityClient resolve nothing of it. It sees what they see: products, and what is
// public. The scripts build it in the folder of the package above, and so compile what both need once.

/// CI and `scripts/test` set this: a warning then fails the build.
let strict: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The macro's plugin, as in the manifest of the package above.
let expansion: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_PLUGIN"].map {
    [.unsafeFlags($0.split(separator: "=", maxSplits: 1).map(String.init))]
  } ?? []

/// The test targets that are built, as in the manifest of the package above.
let chosenTests = Context.environment["ENTITYCLIENT_TESTS"].map { $0.split(separator: ",").map(String.init) }

/// The features of the package above.
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + strict

let entityClient = Target.Dependency.product(name: "EntityClient", package: "EntityClient")
let adapters = Target.Dependency.product(name: "Adapters", package: "EntityClient")
let sessionAdapter = Target.Dependency.product(name: "SessionAdapter", package: "EntityClient")
let decorators = Target.Dependency.product(name: "AdapterDecorators", package: "EntityClient")
let entityStore = Target.Dependency.product(name: "EntityStore", package: "EntityClient")
let entityRequests = Target.Dependency.product(name: "EntityRequests", package: "EntityClient")
let entityInspector = Target.Dependency.product(name: "EntityInspector", package: "EntityClient")
let entityTesting = Target.Dependency.product(name: "EntityTesting", package: "EntityClient")
let sampleSchema = Target.Dependency.product(name: "SampleSchema", package: "EntityClient")

/// The samples of the README and of *First steps*, as modules of users: one of a few lines, and one for each isolation
/// that is the default in some user's modules.
let samples: [Target] = [
  (name: "FirstMinutes", settings: [SwiftSetting]()), ("Plain", []),
  ("MainActorDefault", [.defaultIsolation(MainActor.self)]),
  ("NonsendingDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
].map { name, settings in
  .executableTarget(
    name: name, dependencies: [entityClient, adapters], path: "ReadmeSample/\(name)", packageAccess: false,
    swiftSettings: settings + strict + expansion)
}

let package = Package(
  name: "EntityClientExamples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "sample-app", targets: ["SampleApp"]),
    // For scripts/soak.
    .executable(name: "soak", targets: ["Soak"]),
  ],
  dependencies: [
    .package(name: "EntityClient", path: ".."),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "SampleServer",
      dependencies: [
        .product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      path: "SampleServer", swiftSettings: settings),
    .target(
      name: "OfflineSample", dependencies: [entityClient, sampleSchema], path: "Offline", swiftSettings: settings),
    .target(
      name: "LiveSample", dependencies: [entityClient, adapters, entityInspector, "SampleServer"], path: "Live",
      swiftSettings: settings + expansion),
    .executableTarget(
      name: "SampleApp",
      dependencies: [
        entityClient, adapters, sampleSchema, "SampleServer", "OfflineSample", "LiveSample",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "SampleApp", swiftSettings: settings),
    .executableTarget(
      name: "Soak",
      dependencies: [entityClient, adapters, .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Soak", exclude: ["server.py"], swiftSettings: settings),
    .target(name: "Roundup", dependencies: [entityClient], path: "Roundup", swiftSettings: strict + expansion),
    .target(name: "Kinto", dependencies: [entityClient, adapters], path: "Kinto", swiftSettings: settings + expansion),
    .target(
      name: "SwiftLogSample",
      dependencies: [entityRequests, entityStore, decorators, .product(name: "Logging", package: "swift-log")],
      path: "SwiftLog", swiftSettings: settings),
    // The adapter over AsyncHTTPClient compiles here with declarations of what it uses: NIO takes minutes.
    // scripts/async-http-client compiles and tests it with the real client.
    .target(
      name: "AsyncHTTPClientAdapter", dependencies: [entityRequests, "AsyncHTTPClient", "NIOCore", "NIOHTTP1"],
      path: "AsyncHTTPClient/Adapter", swiftSettings: settings),
    .target(
      name: "AsyncHTTPClient", dependencies: ["NIOCore", "NIOHTTP1"],
      path: "AsyncHTTPClient/Declarations/AsyncHTTPClient", swiftSettings: settings),
    .target(name: "NIOCore", path: "AsyncHTTPClient/Declarations/NIOCore", swiftSettings: settings),
    .target(name: "NIOHTTP1", path: "AsyncHTTPClient/Declarations/NIOHTTP1", swiftSettings: settings),
    // The screens of the article compile with declarations of what they use of SwiftUI, where there is none.
    .target(
      name: "Screens",
      dependencies: [
        entityClient, adapters,
        .target(name: "SwiftUIDeclarations", condition: .when(platforms: [.linux, .android, .windows])),
      ],
      path: "Screens/Views", swiftSettings: strict + expansion),
    .target(name: "SwiftUIDeclarations", path: "Screens/Declarations", swiftSettings: settings),
    // The package to copy, as targets of this one. scripts/starter builds it as its user does.
    .executableTarget(
      name: "Starter", dependencies: [entityClient, adapters], path: "Starter/Sources/Starter", packageAccess: false,
      swiftSettings: strict + expansion),
    .testTarget(
      name: "StarterTests", dependencies: ["Starter", entityTesting], path: "Starter/Tests/StarterTests",
      packageAccess: false, swiftSettings: strict + expansion),
    // They start the samples, which are built with them.
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        entityClient, adapters, entityTesting, sampleSchema, "SampleServer", "OfflineSample", "LiveSample",
        "SwiftLogSample", "Screens",
        "AsyncHTTPClientAdapter", "AsyncHTTPClient", "NIOCore", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Against servers that others wrote, which scripts/integration starts; skipped without them.
    .testTarget(
      name: "IntegrationTests",
      dependencies: [entityClient, adapters, sessionAdapter, entityTesting, "Kinto", "Roundup"],
      swiftSettings: settings + expansion),
  ] + samples,
  swiftLanguageModes: [.v6]
)

if let chosenTests {
  package.targets.removeAll { $0.type == .test && !chosenTests.contains($0.name) }
}
