// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Starter",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(url: "https://github.com/entityclient/EntityClient.git", from: "0.1.0")
  ],
  targets: [
    .executableTarget(
      name: "Starter",
      dependencies: [
        .product(name: "EntityClient", package: "EntityClient"),
        .product(name: "Adapters", package: "EntityClient"),
      ]),
    .testTarget(
      name: "StarterTests",
      dependencies: ["Starter", .product(name: "EntityTesting", package: "EntityClient")]),
  ]
)
