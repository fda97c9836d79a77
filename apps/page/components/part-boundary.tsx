// Around what is loaded later: a part of the page that cannot be loaded must not take the rest of the page with it.
import { Component, type ReactNode } from "react";

const tryEveryMs = 2_000;

/**
 * Says so in the place of the part, and loads the page again as soon as its server answers: a browser may keep for ever that a part could
 * not be loaded. What a person has written is kept meanwhile.
 */
export class PartBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  #timer: ReturnType<typeof setInterval> | undefined;

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(): void {
    this.#timer ??= setInterval(() => void this.#tryAgain(), tryEveryMs);
  }

  override componentWillUnmount(): void {
    clearInterval(this.#timer);
  }

  async #tryAgain(): Promise<void> {
    const answer = await fetch("/healthz").catch(() => undefined);
    if (answer?.ok === true) location.reload();
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="problem" role="alert">
        <p className="problem-what">
          <span aria-hidden="true">✕ </span>
          This part of the page could not be loaded.
        </p>
        <p>It is tried again as soon as the server answers.</p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
