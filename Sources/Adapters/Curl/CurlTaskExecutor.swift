extension CurlAdapter {
  /// The thread of libcurl, for tasks that do little more than send requests.
  ///
  /// ```swift
  /// let users = try await withTaskExecutorPreference(CurlAdapter.taskExecutor) {
  ///   try await User.list()
  /// }
  /// ```
  ///
  /// A request that a task sends from another thread wakes libcurl's thread, and its response wakes a thread for the task.
  /// A task with this preference needs neither. Prefer it for many small requests whose number per second counts, and for
  /// nothing else: **every transfer of the process waits while such a task computes**, so it must not parse large bodies,
  /// and never block. An actor's methods run where they always run, so a task leaves the thread for them and comes back.
  ///
  /// - Throws: `TransportError` when libcurl could not be initialised.
  public static var taskExecutor: any TaskExecutor {
    get throws { try CurlEngine.shared.get() }
  }
}

extension CurlEngine: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { post(.run(UnownedJob(job))) }

  /// For the engine's thread.
  func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
