// An identity provider as a process: the certified implementation of OpenID Connect, which signs
// with the keys that it reads from stdin.
import process from "node:process";
import Provider from "oidc-provider";
import { z } from "zod";

const { port, keys } = z
  .object({
    port: z.number(),
    keys: z.array(
      z.looseObject({ kid: z.string(), kty: z.literal("EC"), alg: z.literal("ES256") }),
    ),
  })
  .parse(await Bun.stdin.json());

const program = {
  client_secret: "a secret of the tests",
  grant_types: ["client_credentials"],
  redirect_uris: [],
  response_types: [],
  id_token_signed_response_alg: "ES256" as const,
};
/** Returns what an account or a program belongs to. */
const groups: Record<string, string[]> = {
  ci: ["developers"],
  late: ["developers"],
  ada: ["developers", "leads"],
  eve: [],
};

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys },
  cookies: { keys: ["a key of the tests"] },
  clients: [
    { ...program, client_id: "ci" },
    { ...program, client_id: "late" },
    {
      ...{ client_id: "browser", application_type: "native", token_endpoint_auth_method: "none" },
      ...{
        grant_types: ["authorization_code"],
        redirect_uris: ["http://127.0.0.1/signed-in"],
        response_types: ["code"],
      },
      id_token_signed_response_alg: "ES256",
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope: "use",
        audience: resource.replace("urn:", ""),
        accessTokenFormat: "jwt",
        accessTokenTTL: 300,
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
  extraTokenClaims: (_, token) => {
    const name = "accountId" in token ? token.accountId : (token.clientId ?? "");
    return { groups: groups[name] ?? [], email: `${name}@example.org` };
  },
  formats: {
    customizers: {
      // As a program that has kept its token for too long sends it.
      jwt: (_, { clientId }, { payload }) => {
        const { iat, exp } = payload;
        if (clientId !== "late" || typeof iat !== "number" || typeof exp !== "number") return;
        Object.assign(payload, { iat: iat - 3_600, exp: exp - 3_600 });
      },
    },
  },
});

const server = provider.listen(port, "127.0.0.1", () => process.stdout.write("listens\n"));
process.on("SIGTERM", () => server.close(() => process.exit()));
