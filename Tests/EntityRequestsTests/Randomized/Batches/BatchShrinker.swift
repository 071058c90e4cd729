import EntityClient

/// Takes pieces out of a history as long as it still fails: steps, then elements, keys and nested values of bodies.
///
/// The caller asks for a trial, and notes what came of it. A trial that fails is the history from then on.
struct BatchShrinker {
  private(set) var history: [BatchStep]
  private(set) var difference: BatchRun.Difference
  private var trials = 800
  /// The cut that is tried: how much of what, from where on.
  private var cut = Cut()
  private var trial: [BatchStep] = []
  private var hasShrunk = false

  private struct Cut {
    enum Kind: Int { case steps, options, values, null }
    var kind = Kind.steps
    var step = 0
    var place = 0
    var size = 0
  }

  init(_ history: [BatchStep], _ difference: BatchRun.Difference) {
    (self.history, self.difference) = (history, difference)
    cut.size = history.count / 2
  }

  /// The next history to try; `nil` at the end.
  mutating func next() -> [BatchStep]? {
    while trials > 0 {
      guard let candidate = candidate() else {
        guard advance() else { return nil }
        continue
      }
      guard candidate != history else {
        cut.place += 1
        continue
      }
      trials -= 1
      trial = candidate
      return candidate
    }
    return nil
  }

  /// Takes the result of the trial.
  mutating func note(_ result: BatchRun.Difference?) {
    if let result {
      history = Array(trial.prefix(result.step + 1))
      difference = result
      hasShrunk = true
    } else {
      cut.place += max(1, cut.size)
    }
  }

  /// The history without the cut; `nil` where there is nothing more of its kind and size.
  private func candidate() -> [BatchStep]? {
    var trial = history
    switch cut.kind {
    case .steps:
      guard cut.size > 0, cut.place < history.count else { return nil }
      trial.removeSubrange(cut.place..<min(history.count, cut.place + cut.size))
      return trial.isEmpty ? history : trial
    case .options:
      guard cut.step < history.count, cut.place < 11, case .response(var response) = history[cut.step]
      else { return nil }
      switch cut.place {
      case 0: response.mode = .insertOrUpdate
      case 1: response.unnamed = .refuse
      case 2: response.overwrites = false
      case 3: response.skips = false
      case 4: response.keeps = false
      case 5: response.isDryRun = false
      case 6: response.deletesMissing = false
      case 7: response.reportsUnread = false
      case 8: response.subject = nil
      case 9: response.leavesNote = false
      default: response.number = nil
      }
      trial[cut.step] = .response(response)
      return trial
    case .values, .null:
      guard cut.step < history.count, let body = body(cut.step), cut.place < body.count - 1 else { return nil }
      if cut.kind == .null {
        trial[cut.step] = replacing(cut.step, body.replacing(1 + cut.place) { $0.isText ? $0 : .null })
      } else if cut.size > 1 {
        // Whole elements of the outermost list.
        guard case .list(var elements) = body, cut.place < elements.count else { return nil }
        elements.removeSubrange(cut.place..<min(elements.count, cut.place + cut.size))
        trial[cut.step] = replacing(cut.step, .list(elements))
      } else {
        trial[cut.step] = replacing(cut.step, body.replacing(1 + cut.place) { _ in nil })
      }
      return trial
    }
  }

  private func body(_ step: Int) -> BatchNode? {
    switch history[step] {
    case .response(let response): response.body
    case .patch(_, _, let answer): answer
    case .change(.upsert(_, let node), _): node
    default: nil
    }
  }

  private func replacing(_ step: Int, _ body: BatchNode) -> BatchStep {
    switch history[step] {
    case .response(var response):
      response.body = body
      return .response(response)
    case .patch(let entity, let row, _): return .patch(entity: entity, row: row, answer: body)
    case .change(.upsert(let entity, _), let place): return .change(.upsert(entity: entity, body), place)
    case let other: return other
    }
  }

  /// Goes on to the next size, step or kind.
  ///
  /// - Returns: Whether there is one; all begin anew where something was taken out.
  private mutating func advance() -> Bool {
    cut.place = 0
    if cut.kind != .options, cut.size > 1, cut.kind != .null {
      cut.size /= 2
      return true
    }
    if cut.kind != .steps, cut.step + 1 < history.count {
      cut.step += 1
      cut.size = size(cut.kind)
      return true
    }
    if let kind = Cut.Kind(rawValue: cut.kind.rawValue + 1) {
      cut = Cut(kind: kind)
      cut.size = size(kind)
      return true
    }
    guard hasShrunk else { return false }
    hasShrunk = false
    cut = Cut(size: history.count / 2)
    return true
  }

  private func size(_ kind: Cut.Kind) -> Int {
    guard kind == .values, cut.step < history.count, case .list(let elements) = body(cut.step) else { return 1 }
    return max(1, elements.count / 2)
  }
}

extension BatchNode {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
