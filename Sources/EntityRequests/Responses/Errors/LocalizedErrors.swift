public import Foundation

// The texts of `localizedDescription`: without them Foundation makes up a sentence that tells nothing.

extension RequestError: LocalizedError {
  public var errorDescription: String? { description }
}

extension MappingError: LocalizedError {
  public var errorDescription: String? { description }
}

extension TransportError: LocalizedError {
  public var errorDescription: String? { description }
}
