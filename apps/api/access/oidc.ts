// Tokens of an identity provider (OIDC): JWTs of one issuer for one audience, whose claims say
// which rights they give.
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import { Right } from "../../../lib/model/api-access.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Caller } from "./caller.ts";

/** Keys come from there: a program that could change them on the way could make tokens. */
const KeyAddress = z
  .url({ protocol: /^https?$/ })
  .refine(isSafeForKeys, { error: "must begin with `https://`" });

/**
 * `rights`: of each value that `claim` may have. `jwks`: where the issuer's keys are; without it,
 * the issuer's own configuration says it. `name_claim`: who it is, on record. `azp`: the clients
 * that a token may have been issued to.
 */
export const OidcSettings = z.strictObject({
  issuer: KeyAddress,
  audience: z.string().min(1),
  azp: z.array(z.string().min(1)).optional(),
  jwks: KeyAddress.optional(),
  claim: z.string().min(1).default("groups"),
  name_claim: z.string().min(1).default("email"),
  rights: z.record(z.string(), z.array(Right).min(1)),
});
export type OidcSettings = z.infer<typeof OidcSettings>;

/** Signatures with a shared secret would let everyone who can check a token make one. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const clockToleranceSeconds = 30;
const timeoutMs = 5_000;
const maxNameLength = 200;

export class Oidc {
  readonly #settings: OidcSettings;
  #keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  /**
   * Throws `not-authenticated`, with the reason, and `not-ready` where the issuer does not answer.
   */
  async verify(token: string): Promise<Caller> {
    const { issuer, audience } = this.#settings;
    const options = {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp"],
    };
    try {
      const { payload } = await jwtVerify(token, await this.#keySet(), options);
      return this.#callerOf(payload);
    } catch (cause) {
      if (cause instanceof SettError) throw cause;
      if (isRefusal(cause))
        throw refused(`The token of ${issuer} is not good: ${cause.message}.`, cause);
      throw this.#away(cause);
    }
  }

  #callerOf(payload: JWTPayload): Caller {
    const { issuer, claim, name_claim, rights } = this.#settings;
    this.#requireParty(payload);
    // An account that anyone may open with the address of another would be taken for that one.
    if ((name_claim === "email" || claim === "email") && isUnverified(payload.email_verified))
      throw refused(
        "The token has an email address that the identity provider has not verified (`email_verified`).",
      );
    const granted = new Set(
      valuesOf(payload[claim]).flatMap((value) =>
        Object.hasOwn(rights, value) ? (rights[value] ?? []) : [],
      ),
    );
    const name = nameIn(payload[name_claim]) || nameIn(payload.sub);
    if (name === "") throw refused(`The token has neither \`${name_claim}\` nor \`sub\`.`);
    const id = JSON.stringify([
      "oidc",
      issuer,
      ...(payload.sub === undefined ? ["", name] : [payload.sub]),
    ]);
    return {
      id,
      name,
      rights: granted,
      actor: `person:${name}`,
      until: (Number(payload.exp) + clockToleranceSeconds) * 1_000,
    };
  }

  /**
   * A token for several audiences says for which of them it was made; else any of them could use it
   * here (OpenID Connect Core, 3.1.3.7).
   */
  #requireParty({ aud, azp }: JWTPayload): void {
    const { audience, azp: parties } = this.#settings;
    if (parties === undefined && (!Array.isArray(aud) || aud.length < 2)) return;
    if (typeof azp === "string" && (parties ?? [audience]).includes(azp)) return;
    const found =
      typeof azp === "string"
        ? `was issued to ${shorten(oneLine(azp), maxNameLength)}`
        : "does not say to whom it was issued";
    throw refused(
      `The token ${found} (\`azp\`), and \`services.api.oidc\` takes those of ${(parties ?? [audience]).join(", ")} alone.`,
    );
  }

  /** Asked again after a failure: the issuer may be away when the API starts. */
  async #keySet(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    this.#keys ??= this.#findKeys();
    try {
      return await this.#keys;
    } catch (error) {
      this.#keys = undefined;
      throw error;
    }
  }

  async #findKeys(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const { issuer, jwks } = this.#settings;
    const address = jwks ?? (await discover(issuer));
    return createRemoteJWKSet(new URL(address), { timeoutDuration: timeoutMs });
  }

  #away(cause: unknown): SettError {
    return new SettError(
      "not-ready",
      `The keys of ${this.#settings.issuer} cannot be read, so its tokens cannot be checked.`,
      {
        hint: isAboutCertificate(cause)
          ? "Its certificate has no signature that the API trusts: `services.api.oidc.jwks` may name an address with one that is known."
          : "Is the identity provider up, and may this machine reach it? The API's log says what has failed.",
        cause,
      },
    );
  }
}

/** `jose` throws these about the token itself, and not about the way to the keys. */
function isRefusal(error: unknown): error is Error {
  const aboutKeys = [errors.JWKSTimeout, errors.JWKSInvalid, errors.JWKInvalid];
  return (
    error instanceof errors.JOSEError &&
    error.code !== "ERR_JOSE_GENERIC" &&
    !aboutKeys.some((kind) => error instanceof kind)
  );
}

function isAboutCertificate(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}

/**
 * A list has whole names: who may make a group could else name it after another one, with a word
 * more. One text is a name, or several with spaces, as scopes are.
 */
function valuesOf(claim: unknown): string[] {
  if (typeof claim === "string") return [claim, ...claim.split(" ")];
  return Array.isArray(claim) ? claim.filter((value) => typeof value === "string") : [];
}

/** Empty where there is none. On record an address is in `<…>`, which no name may forge. */
function nameIn(claim: unknown): string {
  if (typeof claim !== "string") return "";
  return shorten(oneLine(claim.replace(/[<>]/g, "")), maxNameLength);
}

/**
 * Some providers write it as text, or as a number, and some have no such claim. What is there and
 * does not say yes, is no.
 */
function isUnverified(claim: unknown): boolean {
  return claim !== undefined && !/^(?:true|1)$/i.test(String(claim));
}

/** Keys may be read by TLS, or on this machine. */
function isSafeForKeys(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const { protocol, hostname } = url;
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetch(address, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: "error",
  });
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}.`);
  const found = Discovery.parse(await answer.json());
  if (found.issuer !== issuer)
    throw new Error(`${address} is the configuration of another issuer.`);
  if (isSafeForKeys(found.jwks_uri)) return found.jwks_uri;
  throw new SettError(
    "not-ready",
    `The keys of ${issuer} would come without TLS, so its tokens cannot be checked.`,
    {
      hint: `${address} names them with \`http://\`: the identity provider needs \`https://\` there.`,
    },
  );
}

function refused(message: string, cause?: unknown): SettError {
  return new SettError("not-authenticated", message, {
    hint: "Get a new token from the identity provider.",
    cause,
  });
}
