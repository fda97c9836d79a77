// Asks for a token, where the address brought none. The server sets a cookie and sends the browser back to the same view.
import { type FormEvent, useState } from "react";

export function SignIn() {
  const [token, setToken] = useState("");
  const enter = (event: FormEvent) => {
    event.preventDefault();
    const to = `/${location.hash}`;
    location.assign(`/open?token=${encodeURIComponent(token.trim())}&to=${encodeURIComponent(to)}`);
  };
  return (
    <main className="sign-in">
      <h1>Sett</h1>
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
    </main>
  );
}
