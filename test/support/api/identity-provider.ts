// An identity provider that others have written (oidc-provider), as a process, and tokens of it: of
// a program, and of a person who signs in.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { z } from "zod";
import { freePort } from "../redis/redis-server.ts";
import { root } from "../root.ts";

type Key = JWK & { kid: string };

export class IdentityProvider implements AsyncDisposable {
  readonly url: string;
  readonly #port: number;
  #process: ReturnType<typeof start> | undefined;

  private constructor(port: number) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(keys: readonly Key[]): Promise<IdentityProvider> {
    const provider = new IdentityProvider(await freePort());
    await provider.restart(keys);
    return provider;
  }

  /** At the same address, with other keys: it signs with the first one. */
  async restart(keys: readonly Key[]): Promise<void> {
    await this.stop();
    this.#process = start({ port: this.#port, keys });
    const { value } = await this.#process.stdout.getReader().read();
    if (value === undefined)
      throw new Error(
        `The identity provider has ended: ${await new Response(this.#process.stderr).text()}`,
      );
  }

  async stop(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
  }

  /** Gives the token of a program, by its own name and secret. `late`: one that has expired. */
  async tokenOfProgram(client: "ci" | "late", audience = "sett"): Promise<string> {
    const authorization = `Basic ${btoa(`${client}:a+secret+of+the+tests`)}`;
    return await this.#token(
      { grant_type: "client_credentials", resource: `urn:${audience}` },
      { authorization },
    );
  }

  /**
   * Gives the token of a person, who signs in and consents at the provider's own pages, as a
   * browser follows them.
   */
  async tokenOfPerson(login: string): Promise<string> {
    const verifier = randomBytes(32).toString("base64url");
    const redirect = {
      client_id: "browser",
      redirect_uri: "http://127.0.0.1/signed-in",
      resource: "urn:sett",
    };
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const query = {
      ...redirect,
      response_type: "code",
      scope: "openid use",
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    const cookies = new Map<string, string>();
    let next = `${this.url}/auth?${new URLSearchParams(query)}`;
    while (next.startsWith(this.url)) next = await this.#step(next, login, cookies);
    const code = new URL(next).searchParams.get("code");
    if (code === null) throw new Error(`The person is not signed in: ${next}`);
    return await this.#token({
      ...redirect,
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
    });
  }

  /** One redirection, or one form that is filled in. The next address. */
  async #step(address: string, login: string, cookies: Map<string, string>): Promise<string> {
    const ask = async (init: RequestInit = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await fetch(address, { ...init, redirect: "manual", headers: { cookie } });
      for (const one of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
        cookies.set(name, value);
      }
      return answer;
    };
    const first = await ask();
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(await first.text()) ?? [];
    const answer =
      prompt === undefined
        ? first
        : await ask({
            method: "POST",
            body: new URLSearchParams({ prompt, login, password: "x" }),
          });
    const location = answer.headers.get("location");
    if (location === null)
      throw new Error(`${address} answers ${answer.status}: ${await answer.text()}`);
    return new URL(location, address).href;
  }

  async #token(
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const answer = await fetch(`${this.url}/token`, {
      method: "POST",
      headers,
      body: new URLSearchParams(form),
    });
    return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

export async function newSigningKey(kid: string): Promise<Key> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" };
}

function start(settings: object) {
  return Bun.spawn(
    [process.execPath, join(root, "test/support/api/identity-provider-program.ts")],
    {
      env: { PATH: process.env.PATH ?? "" },
      stdin: new Blob([JSON.stringify(settings)]),
      stdout: "pipe",
      stderr: "pipe",
    },
  );
}
