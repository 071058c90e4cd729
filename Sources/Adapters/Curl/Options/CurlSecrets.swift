public import Foundation

// Descriptions without secrets: a configuration may be printed by whoever holds its adapter.

extension CurlAdapter {
  /// The certificate and the key by which a client proves to a server who it is.
  ///
  /// Its description shows neither.
  public struct ClientIdentity: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    enum Content: Equatable {
      case pem(certificate: Data, key: Data)
      case pkcs12(Data)
    }

    let content: Content
    let password: String?

    /// A certificate and its private key, both in PEM. The certificates of its authorities follow the certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificates in PEM (RFC 7468), the client's own first.
    ///   - key: The private key in PEM.
    ///   - password: The password of the key, if it is encrypted.
    public static func pem(certificate: Data, key: Data, password: String? = nil) -> ClientIdentity {
      ClientIdentity(content: .pem(certificate: certificate, key: key), password: password)
    }

    /// A certificate and its private key in one PKCS #12 archive (RFC 7292).
    ///
    /// - Parameters:
    ///   - archive: The bytes of a `.p12` or `.pfx` file.
    ///   - password: The password of the archive.
    public static func pkcs12(_ archive: Data, password: String) -> ClientIdentity {
      ClientIdentity(content: .pkcs12(archive), password: password)
    }

    /// The same words for every identity: neither the certificate nor the key is shown.
    public var description: String { "a client identity" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
  }
}

extension CurlAdapter.Proxy: CustomStringConvertible, CustomReflectable {
  /// The proxy's scheme, host and port; never its credentials.
  public var description: String {
    switch self {
    case .none: "none"
    case .server(let url), .authenticated(let url, _, _):
      "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port.map { "\($0)" } ?? "")"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
