import EntityClient
import EntityTesting
import Foundation

// Services of others, as their documentation describes their URLs and pages. Their answers are short, and made up.

/// The answer of a stub, from JSON as it stands in a documentation.
func answer(_ text: String, status: Int = 200, _ headers: HTTPHeaders = [:]) -> StubAnswer {
  .text(text, status: status, headers: headers)
}
