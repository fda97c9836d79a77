// Whether a Review approves (docs/internals/claims.md#reviews-and-the-feedback-loop): only by `{}`
// or `[]`, so that a reviewer never approves by accident.

/**
 * True when the payload parses to exactly an empty object or an empty array; text, `null`, `42`,
 * `""` and malformed JSON are feedback.
 */
export function isApproval(payload: string): boolean {
  try {
    const value: unknown = JSON.parse(payload);
    if (Array.isArray(value)) return value.length === 0;
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
  } catch {
    return false;
  }
}
