// The container's HEALTHCHECK in images without curl: the program requests the health of the service beside it.

/** True when `GET /healthz` on this machine answers 200 within two seconds. */
export async function isHealthy(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  } catch {
    return false;
  }
}
