// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of EntityClient resolve and build nothing of it. `scripts/bench` runs it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EntityClient", path: "..")],
  targets: [
    .target(name: "CRivals", linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "Bench",
      dependencies: ["CRivals", .product(name: "EntityJSON", package: "EntityClient")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
