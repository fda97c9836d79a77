// A log source gives the logs of an instance's parts to a program that must not hold the Engine.

/**
 * `tail`: the last so many lines. `follow`: goes on until the part has ended, or the signal aborts.
 */
export type LogRequest = { tail?: number | undefined; follow?: boolean; signal: AbortSignal };

export type LogSource = {
  /** The names of the parts that have a log, such as `orchestrator` or an agent's. */
  names(): Promise<string[]>;
  /**
   * The lines of a part, those of an agent's present workers among them, without line breaks.
   * Undefined where there is no part of that name. Throws SettError `docker-unreachable` or
   * `docker-failed` as a runtime does.
   */
  read(name: string, request: LogRequest): Promise<AsyncIterable<string> | undefined>;
};
