// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// CI and `scripts/test` set this: a warning then fails the build.
let strict: [SwiftSetting] =
  Context.environment["ENTITYCLIENT_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// `scripts/test --tsan` sets this to 1, and `scripts/test --tsan=all` to all; see `SanitizedMutex`, whose members each file
/// then takes from another module than it imports.
let sanitizer = Context.environment["ENTITYCLIENT_TSAN"]
let sanitized = sanitizer != nil

/// `scripts/test NAME` sets this: the files of the one chosen target that are built, with commas.
let chosenSources = Context.environment["ENTITYCLIENT_SOURCES"].map { $0.split(separator: ",").map(String.init) }

/// The files of a test target: all, the chosen ones, or under the thread sanitizer those that have anything concurrent, with
/// the parts that they share.
func sources(concurrent folders: [String]?) -> [String]? {
  chosenSources ?? (sanitizer == "1" ? folders.map { ["Support", "Concurrency"] + $0 } : nil)
}

/// `scripts/test --faults` and `--outbox` set this: the libraries are optimized, and there is nothing but the store, the outbox
/// and their tests. The tests are not optimized: the 6.3.1 compiler crashes on them.
let isOptimized = Context.environment["ENTITYCLIENT_OPTIMIZED"] == "1"
let unoptimized: [SwiftSetting] = isOptimized ? [.unsafeFlags(["-Onone"])] : []

/// `scripts/test` sets this: the test targets that are built, with commas. All tests of a package are one bundle, so that a
/// run of one suite would compile and link all of them. The tests of the macro are left out unless they are named: they link
/// the plugin, and SwiftPM then builds all modules of the bundle for the machine that compiles, too.
let chosenTests = Context.environment["ENTITYCLIENT_TESTS"].map { $0.split(separator: ",").map(String.init) }

/// The macro's plugin where it is built already: `scripts/bench` and `scripts/demo` set this for their release builds, in
/// which swift-syntax would take longer than all else, and `scripts/test` for the sanitizers and the faults, so that
/// swift-syntax is not compiled for these too. Its value is an option of the compiler, `=` and the option's argument:
/// `-load-plugin-library=PATH` or `-load-plugin-executable=PATH#MODULE`. Modules that use the macro are compiled with it.
let plugin = Context.environment["ENTITYCLIENT_PLUGIN"]
let expansion: [SwiftSetting] =
  plugin.map { [.unsafeFlags($0.split(separator: "=", maxSplits: 1).map(String.init))] } ?? []

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

/// Where the plugin is built already, a product of swift-syntax for a platform that no build is for: nothing is compiled,
/// and the version of swift-syntax that is chosen stays chosen.
let expander: Target.Dependency =
  plugin == nil
  ? "EntityMacrosPlugin"
  : .product(name: "SwiftSyntax", package: "swift-syntax", condition: .when(platforms: [.custom("none")]))

/// Tests of users' entities, in modules as users have them.
let entityTests: [Target] = isolations.map { name, settings in
  .testTarget(
    name: "\(name)EntityTests", dependencies: ["EntityClient"], path: "Tests/EntityTests/\(name)",
    packageAccess: false, swiftSettings: settings + strict + expansion)
}

/// The plugin itself; left out where it is built already.
let pluginTargets: [Target] =
  plugin != nil
  ? []
  : [
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
      swiftSettings: settings)
  ]

/// Left out under the sanitizer: tests of what is synchronous or has no lines of its own that run at once, and the check that
/// is built in release only.
let unsanitizedTargets: [Target] =
  sanitized
  ? []
  : [
    // Built in release, by scripts/isolation: without macros, so that swift-syntax is not built for it.
    .executableTarget(
      name: "IsolationCheck",
      dependencies: [
        "EntityJSON", "EntityOutbox", "EntityStore", "EntityRequests", "HTTPFoundation", "Adapters", "SessionAdapter",
        "EntityInspector", "EntityTesting",
      ],
      path: "Tests/IsolationCheck", exclude: ["Fault"], swiftSettings: settings),
    .testTarget(
      name: "EntityJSONTests", dependencies: ["EntityJSON", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "EntityXMLTests",
      dependencies: ["EntityXML", "EntityClient", "EntityTesting", "TestSupport"], swiftSettings: settings + expansion),
    // As a user's module: without access to what is the package's own.
    .testTarget(
      name: "AncestorTests", dependencies: ["EntityClient", "EntityTesting"],
      // The patches of scripts/defects.
      exclude: ["Defects"], packageAccess: false, swiftSettings: strict + expansion),
    // As a user's module, too: what the articles for those who come from another library print.
    .testTarget(
      name: "ComingFromTests", dependencies: ["EntityClient"], packageAccess: false,
      swiftSettings: strict + expansion),
    // They compile against the modules of the package, which are in the folder of the build.
    .testTarget(
      name: "EntityMacrosTests",
      dependencies: [
        "EntityMacrosPlugin", "TestSupport",
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
      ],
      swiftSettings: settings),
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
    .library(name: "EntityOutbox", targets: ["EntityOutbox"]),
    .library(name: "EntityXML", targets: ["EntityXML"]),
    .library(name: "EntityInspector", targets: ["EntityInspector"]),
    .library(name: "Adapters", targets: ["Adapters"]),
    .library(name: "AdapterDecorators", targets: ["AdapterDecorators"]),
    .library(name: "SessionAdapter", targets: ["SessionAdapter"]),
    .library(name: "EntityTesting", targets: ["EntityTesting"]),
    // For the package in Examples, which has no other way to it.
    .library(name: "SampleSchema", targets: ["SampleSchema"]),
  ],
  dependencies: [
    // The macro's plugin is built with it, for the machine that compiles; nothing links it. Users resolve it and nothing
    // else: what examples and benchmarks need is in packages of their own.
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0")
  ],
  targets: [
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("z")]),
    .target(name: "EntityJSON", swiftSettings: settings),
    .target(name: "EntityStore", dependencies: ["EntityJSON", "CSQLite"], swiftSettings: settings),
    // Foundation with its HTTP types, which stand in a module of their own on Linux.
    .target(name: "HTTPFoundation", swiftSettings: settings),
    .target(
      name: "EntityRequests", dependencies: ["EntityStore", "EntityJSON", "HTTPFoundation"], swiftSettings: settings),
    .target(
      name: "EntityOutbox", dependencies: ["EntityRequests", "EntityStore", "EntityJSON", "HTTPFoundation"],
      swiftSettings: settings),
    // A product of its own: most apps read no XML.
    .target(name: "EntityXML", dependencies: ["EntityRequests", "EntityJSON"], swiftSettings: settings),
    // For the recordings of tests and the inspector: no app needs it in a release build.
    .target(
      name: "EntityRedaction", dependencies: ["EntityRequests", "EntityJSON"], swiftSettings: settings),
    // A product of its own: an app links it in debug builds.
    .target(
      name: "EntityInspector",
      dependencies: [
        "EntityOutbox", "EntityRedaction", "EntityRequests", "EntityStore", "EntityJSON", "HTTPFoundation",
      ], swiftSettings: settings),
    .target(
      name: "EntityMacros", dependencies: [expander, "EntityStore"], swiftSettings: settings + expansion),
    .target(
      name: "EntityClient",
      dependencies: ["EntityJSON", "EntityStore", "EntityMacros", "EntityOutbox", "EntityRequests"],
      swiftSettings: settings),
    // Without libcurl: for a project that sends requests with a client of its own.
    .target(
      name: "AdapterDecorators", dependencies: ["EntityRequests", "EntityStore", "HTTPFoundation"],
      path: "Sources/Adapters/Decorators", swiftSettings: settings),
    .target(
      name: "Adapters",
      dependencies: ["AdapterDecorators", "EntityRequests", "EntityStore", "HTTPFoundation", "CCurl"],
      exclude: ["Decorators", "URLSession"], swiftSettings: settings),
    // A product of its own: an app has one transport.
    .target(
      name: "SessionAdapter", dependencies: ["AdapterDecorators", "EntityRequests", "EntityStore", "HTTPFoundation"],
      path: "Sources/Adapters/URLSession", swiftSettings: settings),
    .target(
      name: "EntityTesting",
      dependencies: ["EntityRedaction", "EntityRequests", "EntityStore", "EntityJSON", "HTTPFoundation"],
      swiftSettings: settings),
    .target(
      name: "SampleSchema", dependencies: ["EntityClient"], path: "SampleSchema",
      swiftSettings: settings + expansion),
    // The parts that tests of several modules share.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    // The entities that tests of several suites share.
    .target(
      name: "TestSchema", dependencies: ["EntityStore", "EntityMacros"], path: "Tests/TestSchema",
      swiftSettings: settings + expansion + unoptimized),
    // A file system that fails where a test says.
    .target(name: "FaultyVFS", path: "Tests/FaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    // Lookups of names that hang where a test says.
    .target(name: "HungLookup", path: "Tests/HungLookup"),
    .testTarget(
      name: "EntityStoreTests",
      dependencies: ["EntityStore", "EntityMacros", "CSQLite", "FaultyVFS", "TestSchema", "TestSupport"],
      sources: sources(concurrent: ["Live", "Care"]), resources: [.copy("Fixtures")],
      swiftSettings: settings + expansion + unoptimized),
    .testTarget(
      name: "EntityRequestsTests",
      dependencies: [
        "CSQLite", "EntityClient", "EntityTesting", "HTTPFoundation", "SampleSchema", "TestSchema", "TestSupport",
      ],
      // Read where they are.
      exclude: ["Services/Answers/README.md", "Services/Answers/Recordings"],
      sources: sources(concurrent: ["Caching", "LiveResource"]),
      swiftSettings: settings + expansion),
    .testTarget(
      name: "EntityOutboxTests",
      dependencies: ["EntityClient", "EntityStore", "EntityTesting", "FaultyVFS", "HTTPFoundation", "TestSupport"],
      // The patches of scripts/defects.
      exclude: ["Defects"], sources: sources(concurrent: nil), swiftSettings: settings + expansion + unoptimized),
    .testTarget(
      name: "AdaptersTests",
      dependencies: [
        "Adapters", "SessionAdapter", "EntityClient", "EntityTesting", "HTTPFoundation", "HungLookup", "TestSupport",
      ],
      sources: sources(concurrent: nil),
      swiftSettings: settings + expansion),
    .testTarget(
      name: "EntityInspectorTests",
      dependencies: ["EntityInspector", "EntityClient", "EntityTesting", "CSQLite", "TestSchema", "TestSupport"],
      sources: sources(concurrent: nil), swiftSettings: settings + expansion),
    .testTarget(
      name: "SampleSchemaTests", dependencies: ["EntityClient", "EntityTesting", "SampleSchema"],
      // Read where they are.
      exclude: ["Fixtures"], swiftSettings: settings + expansion),
  ] + entityTests + pluginTargets + unsanitizedTargets,
  swiftLanguageModes: [.v6]
)

package.targets.removeAll { target in
  guard target.type == .test else { return false }
  if let chosenTests { return !chosenTests.contains(target.name) }
  return target.name == "EntityMacrosTests"
}
if isOptimized {
  let kept = [
    "CSQLite", "EntityJSON", "EntityStore", "EntityMacrosPlugin", "EntityMacros", "TestSchema", "TestSupport",
    "FaultyVFS", "EntityStoreTests", "HTTPFoundation", "EntityRequests", "EntityOutbox", "EntityClient",
    "EntityRedaction",
    "EntityTesting", "EntityOutboxTests",
  ]
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}

// The Swift Package Index builds the documentation with a plugin, which users of the package are not to resolve.
if Context.environment["SPI_BUILDER"] == "1" {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.4.0"))
}
