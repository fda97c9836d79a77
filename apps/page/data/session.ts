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

export function keepSession(session: string): void {
  inMemory = session;
  try {
    localStorage.setItem(name, session);
  } catch {
    // It is in memory.
  }
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}
