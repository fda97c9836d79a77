// Around each view: one that cannot be loaded, or that fails, must not take the rest of the page
// with it.
import { Component, type ReactNode } from "react";

const tryEveryMs = 2_000;
/** As Chromium, Firefox and Safari say it. */
const isOfLoading = /dynamically imported module|importing a module script/i;

type Props = { children: ReactNode; address: string };
type State = { error?: unknown; failedAt?: string | undefined };

/**
 * Says so in the place of the view. The next change of the address tries again. What cannot be
 * loaded is loaded with the whole page, as soon as its server answers: a browser may keep for ever
 * that a part could not be loaded. What a person has written is kept meanwhile.
 */
export class PartBoundary extends Component<Props, State> {
  override state: State = {};
  #timer: ReturnType<typeof setInterval> | undefined;

  static getDerivedStateFromError(error: unknown): State {
    return { error: error ?? "" };
  }

  static getDerivedStateFromProps({ address }: Props, { error, failedAt }: State): State | null {
    if (error === undefined) return null;
    if (failedAt === undefined) return { failedAt: address };
    return failedAt === address || isOfLoading.test(String(error))
      ? null
      : { error: undefined, failedAt: undefined };
  }

  override componentDidCatch(error: unknown): void {
    if (isOfLoading.test(String(error)))
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
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const isNotLoaded = isOfLoading.test(String(error));
    return (
      <>
        {!isNotLoaded && <h1>This view has failed</h1>}
        <div className="problem" role="alert">
          <p className="problem-what">
            <span aria-hidden="true">✕ </span>
            {isNotLoaded
              ? "This part of the page could not be loaded."
              : String(error).slice(0, 300)}
          </p>
          <p>
            {isNotLoaded
              ? "It is tried again as soon as the server answers."
              : "That is a mistake of the page. The other views go on, and what runs is not touched."}
          </p>
          <button type="button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </>
    );
  }
}
