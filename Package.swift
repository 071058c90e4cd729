// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// CI and `scripts/test` set this: a warning then fails the build.
let strict: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// `scripts/test --tsan` sets this; see `SanitizedMutex`, whose members each file then takes from another module than
/// it imports.
let sanitized = Context.environment["ENTITYCLIENT_TSAN"] == "1"

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (sanitized ? [.define("ENTITYCLIENT_TSAN")] : [.enableUpcomingFeature("MemberImportVisibility")]) + strict

/// Each isolation that is the default in some user's modules.
let isolations: [(name: String, settings: [SwiftSetting])] = [
  ("Plain", []), ("MainActorDefault", [.defaultIsolation(MainActor.self)]),
  ("NonsendingDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
]

/// The README's samples, in modules as a user has them: without what the package shows to itself alone.
let samples: [Target] = ([("FirstMinutes", [])] + isolations).map { name, settings in
  .executableTarget(
    name: name, dependencies: ["EntityClient", "Adapters"], path: "Examples/ReadmeSample/\(name)", packageAccess: false,
    swiftSettings: settings + strict)
}

/// What users' entities do, in modules as they have them.
let entityTests: [Target] = isolations.map { name, settings in
  .testTarget(
    name: "\(name)EntityTests", dependencies: ["EntityClient"], path: "Tests/EntityTests/\(name)",
    packageAccess: false, swiftSettings: settings + strict)
}

/// They link the macro's plugin, for which SwiftPM builds all that is tested a second time; there is nothing concurrent in
/// them.
let macroTests: [Target] =
  sanitized
  ? []
  : [
    .testTarget(
      name: "EntityMacrosTests",
      dependencies: [
        "EntityMacrosPlugin", "EntityClient", "Adapters", "EntityTesting", "SampleSchema",
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
      ],
      swiftSettings: settings)
  ]

let package = Package(
  name: "EntityClient",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "EntityClient", targets: ["EntityClient"]),
    .library(name: "EntityJSON", targets: ["EntityJSON"]),
    .library(name: "EntityStore", targets: ["EntityStore"]),
    .library(name: "EntityMacros", targets: ["EntityMacros"]),
    .library(name: "EntityRequests", targets: ["EntityRequests"]),
    .library(name: "Adapters", targets: ["Adapters"]),
    .library(name: "AdapterDecorators", targets: ["AdapterDecorators"]),
    .library(name: "EntityTesting", targets: ["EntityTesting"]),
    .executable(name: "sample-app", targets: ["SampleApp"]),
  ],
  dependencies: [
    // The macro's plugin is built with it, for the machine that compiles; nothing links it.
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
    // Only the examples and the tests use these; a package that depends on EntityClient builds neither.
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
  ],
  targets: [
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "EntityJSON", swiftSettings: settings),
    .target(name: "EntityStore", dependencies: ["EntityJSON", "CSQLite"], swiftSettings: settings),
    .target(name: "EntityRequests", dependencies: ["EntityStore", "EntityJSON"], swiftSettings: settings),
    .macro(
      name: "EntityMacrosPlugin",
      dependencies: [
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .target(name: "EntityMacros", dependencies: ["EntityMacrosPlugin", "EntityStore"], swiftSettings: settings),
    .target(
      name: "EntityClient", dependencies: ["EntityJSON", "EntityStore", "EntityMacros", "EntityRequests"],
      swiftSettings: settings),
    // Without libcurl: for a project that sends requests with a client of its own.
    .target(
      name: "AdapterDecorators", dependencies: ["EntityRequests"], path: "Sources/Adapters/Decorators",
      swiftSettings: settings),
    .target(
      name: "Adapters", dependencies: ["AdapterDecorators", "EntityRequests", "EntityStore", "CCurl"],
      exclude: ["Decorators"], swiftSettings: settings),
    .target(
      name: "EntityTesting", dependencies: ["EntityRequests", "EntityStore", "EntityJSON"], swiftSettings: settings),
    .target(
      name: "SampleSchema", dependencies: ["EntityClient"], path: "SampleSchema",
      swiftSettings: settings),
    .target(
      name: "SampleServer",
      dependencies: ["FlyingFox", .product(name: "FlyingSocks", package: "FlyingFox")],
      path: "Examples/SampleServer",
      swiftSettings: settings),
    .executableTarget(
      name: "SampleApp",
      dependencies: [
        "EntityClient", "Adapters", "SampleSchema", "SampleServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/SampleApp", swiftSettings: settings),
    .target(
      name: "Roundup", dependencies: ["EntityClient"], path: "Examples/Roundup", packageAccess: false,
      swiftSettings: strict),
    .target(
      name: "Kinto", dependencies: ["EntityClient", "Adapters"], path: "Examples/Kinto", packageAccess: false,
      swiftSettings: settings),
    // Built in release, by scripts/isolation: without macros, so that swift-syntax is not built for it.
    .executableTarget(
      name: "IsolationCheck",
      dependencies: ["EntityJSON", "EntityStore", "EntityRequests", "Adapters", "EntityTesting"],
      path: "Tests/IsolationCheck", exclude: ["Fault"], swiftSettings: settings),
    .testTarget(name: "EntityJSONTests", dependencies: ["EntityJSON"], swiftSettings: settings),
    .testTarget(
      name: "EntityStoreTests", dependencies: ["EntityStore", "EntityMacros", "CSQLite"], swiftSettings: settings),
    .testTarget(
      name: "EntityRequestsTests",
      dependencies: ["EntityClient", "EntityTesting", "SampleSchema"], swiftSettings: settings),
    .testTarget(
      name: "AdaptersTests", dependencies: ["Adapters", "EntityClient", "EntityTesting"], swiftSettings: settings),
    .testTarget(
      name: "SampleSchemaTests", dependencies: ["EntityClient", "EntityTesting", "SampleSchema"],
      resources: [.copy("Fixtures")], swiftSettings: settings),
    .testTarget(
      name: "ExamplesTests",
      dependencies: ["EntityClient", "Adapters", "EntityTesting", "SampleSchema", "SampleServer"],
      swiftSettings: settings),
    // Against servers that others wrote, which scripts/integration starts; skipped without them.
    .testTarget(
      name: "IntegrationTests", dependencies: ["EntityClient", "Adapters", "EntityTesting", "Kinto", "Roundup"],
      swiftSettings: settings),
  ] + macroTests + entityTests + samples,
  swiftLanguageModes: [.v6]
)
