// swift-tools-version: 6.2
import PackageDescription

// The README's sample as a user's package has it, with each of the three isolation settings a module can have. A test
// compares the source with the README, builds this package and runs it.
let dependencies: [Target.Dependency] = [
  .product(name: "EntityClient", package: "EntityClient"), .product(name: "Adapters", package: "EntityClient"),
]

let package = Package(
  name: "ReadmeSample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EntityClient", path: "../..")],
  targets: [
    .executableTarget(name: "Plain", dependencies: dependencies),
    .executableTarget(
      name: "MainActorDefault", dependencies: dependencies, swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "NonsendingDefault", dependencies: dependencies,
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ],
  swiftLanguageModes: [.v6]
)
