// `services.api` of sett.yml: where the API of the instance listens, and who may use it.
import { z } from "zod";
import { Right, TokenName } from "./api-access.ts";
import { Port } from "./config-quantities.ts";
import { SecretName } from "./config-secrets.ts";

const File = z.string().min(1, { error: "must not be empty" });

const Rights = z
  .array(Right)
  .min(1, { error: "must not be empty: a token without rights is of no use" })
  .refine((rights) => new Set(rights).size === rights.length, { error: "names a right twice" });

const Tls = z.union(
  [
    z.literal("none"),
    z.strictObject({
      cert: File.describe(
        "A PEM file of this machine: the certificate, and those that lead to its issuer.",
      ),
      key: File.describe("A PEM file of this machine: the certificate's private key."),
    }),
  ],
  { error: "must be a map with `cert` and `key`, or `none` where a proxy in front of it encrypts" },
);

const Token = z.strictObject({
  name: TokenName.describe("Who uses it: the name on record for what is done with the token."),
  secret: SecretName.describe(
    "The name in `secrets` of the token's value: at least 32 characters.",
  ),
  may: Rights.describe("What it may do. `control`: cancel, retry, pause and resume."),
});

/**
 * `http` only for an issuer on this machine: who could change the keys on the way could make
 * tokens.
 */
const Issuer = z.string().refine((text) => isAddress(text, { pathAllowed: true }), {
  error: ({ input }) =>
    URL.parse(String(input))?.protocol === "http:"
      ? "must begin with `https://`: who could change the keys on the way could make tokens"
      : "must be an address such as `https://token.actions.githubusercontent.com`",
});

const Oidc = z.strictObject({
  issuer: Issuer.describe("The address of the issuer, exactly as its tokens name it."),
  audience: z
    .string()
    .min(1, { error: "must not be empty" })
    .max(500)
    .describe("The audience that a token must be for."),
  azp: z
    .array(z.string().min(1, { error: "must not be empty" }).max(500))
    .min(1, { error: "must name a client" })
    .max(100)
    .optional()
    .describe(
      "The clients that a token may have been issued to (its `azp`). Default: any; of a token for several audiences, `audience` alone.",
    ),
  claim: z
    .string()
    .min(1, { error: "must not be empty" })
    .max(200)
    .default("groups")
    .describe(
      "The claim that says what the bearer may do: a word, several with spaces, or a list.",
    ),
  name_claim: z
    .string()
    .min(1, { error: "must not be empty" })
    .max(200)
    .default("email")
    .describe("The claim that says who it is, on record. Where a token has none, `sub`."),
  jwks: Issuer.optional().describe(
    "The address of the issuer's keys. Default: the issuer's configuration says it.",
  ),
  rights: z
    .record(z.string().min(1).max(500), Rights)
    .refine((rights) => Object.keys(rights).length > 0, {
      error: "must have a value of the claim, with rights",
    })
    .refine((rights) => Object.keys(rights).length <= 100, {
      error: "must have at most 100 values",
    })
    .describe("What a bearer may do, by the value of the claim."),
});

const Origin = z.string().refine((text) => isAddress(text, { pathAllowed: false }), {
  error: "must be an origin such as `https://dashboard.example.org`, without a path",
});

const loopback = "127.0.0.1";

export const ApiService = z
  .strictObject({
    port: Port.default(8443).describe("The port of the API and its page on this machine."),
    host: z
      .union([z.ipv4(), z.ipv6()], {
        error: "must be an address of this machine: `127.0.0.1`, or `0.0.0.0` for all",
      })
      .default(loopback)
      .describe(
        "The address on this machine at which it is reached. `0.0.0.0`: also from other machines, which needs `tls`.",
      ),
    tls: Tls.optional().describe(
      "The certificate for HTTPS. `none`: a proxy in front of it encrypts, so that other machines reach it without one.",
    ),
    tokens: z
      .array(Token)
      .max(100)
      .default([])
      .describe("The tokens of people and programs.")
      .superRefine((tokens, context) => {
        for (const [at, { name, secret }] of tokens.entries()) {
          const before = tokens.slice(0, at);
          if (before.some((token) => token.name === name))
            context.addIssue({
              code: "custom",
              path: [at, "name"],
              message: `is the name of another token, too`,
            });
          if (before.some((token) => token.secret === secret))
            context.addIssue({
              code: "custom",
              path: [at, "secret"],
              message: `is the secret of another token, too`,
            });
        }
      }),
    oidc: Oidc.optional().describe(
      "Bearer tokens of an OpenID Connect issuer, such as those of CI jobs.",
    ),
    cors: z
      .array(Origin)
      .max(20)
      .default([])
      .describe("Origins whose pages may use the API from a browser. Default: only its own page."),
    requests_per_minute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(3_000)
      .describe("How many requests one token may make in a minute; more are refused with 429."),
    writes_per_minute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(300)
      .describe("How many of them may write: state goals, answer, judge."),
  })
  .superRefine(({ host, tls, tokens, oidc }, context) => {
    if (tls === undefined && host !== loopback && host !== "::1") {
      const message =
        "lets other machines reach the API: it needs `tls: { cert: …, key: … }`, or `tls: none` behind a proxy";
      context.addIssue({ code: "custom", path: ["host"], message });
    }
    if (tokens.length === 0 && oidc === undefined) {
      context.addIssue({
        code: "custom",
        path: [],
        message: "needs `tokens` or `oidc`: without them no one may use the API",
      });
    }
  });
export type ApiService = z.infer<typeof ApiService>;

function isAddress(text: string, { pathAllowed }: { pathAllowed: boolean }): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (!pathAllowed && url.origin !== text) return false;
  const isHere =
    url.hostname === "localhost" || url.hostname === loopback || url.hostname === "[::1]";
  return url.protocol === "https:" || (url.protocol === "http:" && (isHere || !pathAllowed));
}
