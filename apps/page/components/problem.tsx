// Shows what went wrong, and what to do next: the API's own sentences.
import type { ApiError } from "../data/api.ts";

export function Problem({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  return (
    <div className="problem" role="alert">
      <p className="problem-what">
        <span aria-hidden="true">✕ </span>
        {error.message}
      </p>
      {error.hint !== undefined && <p>{error.hint}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
