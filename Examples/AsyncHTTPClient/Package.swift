// swift-tools-version: 6.2
import PackageDescription

// The adapter over AsyncHTTPClient with the real client, under the conformance suite: scripts/async-http-client runs it. It is
// a package of its own because NIO takes minutes to compile; the package above compiles the adapter with declarations.

let package = Package(
  name: "AsyncHTTPClientExample",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "EntityClient", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
  ],
  targets: [
    .target(
      name: "AsyncHTTPClientAdapter",
      dependencies: [
        .product(name: "EntityRequests", package: "EntityClient"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      path: "Adapter",
      swiftSettings: [
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]),
    .testTarget(
      name: "AsyncHTTPClientAdapterTests",
      dependencies: [
        "AsyncHTTPClientAdapter", .product(name: "EntityTesting", package: "EntityClient"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      path: "Tests"),
  ],
  swiftLanguageModes: [.v6]
)
