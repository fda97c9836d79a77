// Holds who this browser is signed in as: a session that the page keeps in the storage of its own
// address, and sends with each request.
//
// The storage belongs to scheme, name and port, in every browser. A cookie would go to all ports of
// the host.

const name = "sett-session";

/** Where a browser lets the page keep nothing, the session ends with the tab. */
let inMemory: string | undefined;

/** The headers that say who asks; none before a sign-in. */
export function authorization(): Record<string, string> {
  const session = stored() ?? inMemory;
  return session === undefined ? {} : { authorization: `Bearer ${session}` };
}

/** Says whether the server knows the token. Another session stays where it does not. */
export async function signIn(token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token.trim()}` };
  const answer = await fetch("/open", {
    method: "POST",
    headers,
    credentials: "same-origin",
  }).catch(() => undefined);
  if (answer?.ok !== true) return false;
  const { session } = (await answer.json()) as { session: string };
  inMemory = session;
  try {
    localStorage.setItem(name, session);
  } catch {
    // It is in memory.
  }
  return true;
}

/**
 * Takes the token out of the address, where there is one, and signs in with it. False where the
 * server does not know it.
 */
export async function signInByAddress(): Promise<boolean> {
  const token = new URLSearchParams(location.search).get("token");
  if (token === null) return true;
  history.replaceState(null, "", `/${location.hash}`);
  return await signIn(token);
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}
