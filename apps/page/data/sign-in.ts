// Trades a token for a session. A server that did not answer has said nothing of the token.
import { ApiError, post } from "./api.ts";
import { keepSession } from "./session.ts";

/** A network that has just changed breaks the requests under way in every browser. */
const pausesMs = [250, 500, 1_000, 2_000];

/** Why a token gave no session; status 401: the server does not know it. */
export type FailedSignIn = { token: string; problem: ApiError };

/**
 * Undefined once this browser is signed in. Another session stays where it is not. A server that
 * does not answer is asked again for four seconds.
 */
export async function signIn(given: string): Promise<FailedSignIn | undefined> {
  const token = given.trim();
  for (let tries = 0; ; tries++) {
    try {
      const { session } = await post<{ session: string }>("/open", {}, { token });
      keepSession(session);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const pauseMs = pausesMs[tries];
      if (error.status !== 0 || pauseMs === undefined) return { token, problem: error };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Takes the token out of the address, where there is one, and signs in with it. */
export async function signInByAddress(): Promise<FailedSignIn | undefined> {
  const token = new URLSearchParams(location.search).get("token");
  if (token === null) return undefined;
  history.replaceState(null, "", `/${location.hash}`);
  return await signIn(token);
}
