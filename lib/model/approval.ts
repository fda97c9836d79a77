// Whether a Review approves (docs/internals/claims.md#reviews-and-the-feedback-loop): only by `{}`
// or `[]`, so that a reviewer never approves by accident.

/**
 * True when the payload is JSON of exactly an empty object or an empty array; text, `null`, `42`,
 * `""` and malformed JSON are feedback. It is not parsed: a payload of 16 MiB may have a million
 * names, and the orchestrator would do nothing else for seconds.
 */
export function isApproval(payload: string): boolean {
  return /^[ \t\n\r]*(?:\{[ \t\n\r]*\}|\[[ \t\n\r]*\])[ \t\n\r]*$/.test(payload);
}
