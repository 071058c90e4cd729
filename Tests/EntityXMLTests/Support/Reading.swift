import EntityJSON
import EntityXML
import Foundation

/// The JSON of a document.
func read(_ document: String, _ format: XMLFormat = XMLFormat(), limits: JSONLimits = .standard) throws -> JSONValue {
  try format.value(of: Data(document.utf8), limits: limits)
}

/// The error of a document that must be refused.
func fault(
  _ document: some Sequence<UInt8>, _ format: XMLFormat = XMLFormat(), limits: JSONLimits = .standard
) throws -> XMLError {
  do {
    let value = try format.value(of: Data(document), limits: limits)
    throw NotRefused(value: value)
  } catch let error as XMLError {
    return error
  }
}

struct NotRefused: Error {
  let value: JSONValue
}
