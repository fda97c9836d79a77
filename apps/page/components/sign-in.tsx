// Asks for a token, where the address brought none, or one that is not good. The server sets a cookie and sends the browser back to the same view.
import { type FormEvent, useState } from "react";

/** The server has taken a token out of the address that it does not know. */
export function isRefused(): boolean {
  return new URLSearchParams(location.search).get("refused") === "token";
}

/** `isSignedIn`: an earlier sign-in is still good. */
export function SignIn({ isSignedIn }: { isSignedIn: boolean }) {
  const [token, setToken] = useState("");
  const enter = (event: FormEvent) => {
    event.preventDefault();
    const to = `/${location.hash}`;
    location.assign(`/open?token=${encodeURIComponent(token.trim())}&to=${encodeURIComponent(to)}`);
  };
  return (
    <main className="sign-in">
      <h1>Sett</h1>
      {isRefused() && (
        <p role="alert">
          The token in the address is not good: it is mistyped, it was replaced, or the <code>sett ui</code> that made it has
          ended.
        </p>
      )}
      <p>
        This page needs a token. <code>sett ui</code> prints an address that contains one; for an instance with{" "}
        <code>services.api</code>, ask the person who runs it.
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
      {isSignedIn && (
        <p>
          You are signed in here from before. <a href={`/${location.hash}`}>Go on so</a>
        </p>
      )}
    </main>
  );
}
