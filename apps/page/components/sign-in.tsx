// Asks for a token, where the address brought none, or one that is not good.
import { type FormEvent, useState } from "react";
import { signIn } from "../data/session.ts";

/**
 * `isRefused`: the token of the address is not good. `onGoOn`: where an earlier sign-in still is.
 */
export function SignIn({
  isRefused,
  onGoOn,
}: {
  isRefused: boolean;
  onGoOn: (() => void) | undefined;
}) {
  const [token, setToken] = useState("");
  const [isMistyped, setIsMistyped] = useState(false);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (await signIn(token)) location.reload();
    else setIsMistyped(true);
  };
  return (
    <main className="sign-in">
      <h1>Sett</h1>
      {(isRefused || isMistyped) && (
        <p role="alert">
          The token {isMistyped ? "" : "in the address "}is not good: it is mistyped, it was
          replaced, or the <code>sett ui</code> that made it has ended.
        </p>
      )}
      <p>
        This page needs a token. <code>sett ui</code> prints an address that contains one; for an
        instance with <code>services.api</code>, ask the person who runs it.
      </p>
      <form onSubmit={enter}>
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
        <button type="submit" className="primary">
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
