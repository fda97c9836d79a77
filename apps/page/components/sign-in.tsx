// Asks for a token, where the address brought none, or one that gave no session.
import { type FormEvent, useState } from "react";
import { type FailedSignIn, signIn } from "../data/sign-in.ts";

/**
 * `failed`: the sign-in by the address. Its token is in the field where the server has not refused
 * it. `onGoOn`: where an earlier sign-in still is.
 */
export function SignIn({
  failed,
  onGoOn,
}: {
  failed: FailedSignIn | undefined;
  onGoOn: (() => void) | undefined;
}) {
  const [token, setToken] = useState(failed?.problem.status === 401 ? "" : (failed?.token ?? ""));
  const [last, setLast] = useState(failed);
  const [isBusy, setIsBusy] = useState(false);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    const failedAgain = await signIn(token);
    if (failedAgain === undefined) return location.reload();
    setLast(failedAgain);
    setIsBusy(false);
  };
  return (
    <main className="sign-in">
      <h1>Sett</h1>
      {last !== undefined && <WhyNot failed={last} isOfAddress={last === failed} />}
      <p>
        This page needs a token. <code>sett ui</code> prints an address that contains one; for an
        instance with <code>services.api</code>, ask the person who runs it.
      </p>
      <form onSubmit={enter} aria-busy={isBusy}>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          Enter
        </button>
      </form>
      {onGoOn !== undefined && (
        <p>
          You are signed in here from before.{" "}
          <button type="button" className="small" onClick={onGoOn}>
            Go on so
          </button>
        </p>
      )}
    </main>
  );
}

function WhyNot({
  failed: { problem },
  isOfAddress,
}: {
  failed: FailedSignIn;
  isOfAddress: boolean;
}) {
  if (problem.status !== 401)
    return (
      <p role="alert">
        {problem.message} {problem.hint}
      </p>
    );
  return (
    <p role="alert">
      The token {isOfAddress ? "in the address " : ""}is not good: it is mistyped, it was used once
      and counts no more, it was replaced, or the <code>sett ui</code> that made it has ended.
    </p>
  );
}
