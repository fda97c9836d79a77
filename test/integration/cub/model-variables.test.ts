// Shows what the command of an agent with a model finds in its environment: the real program, a
// real Redis, real commands.
import { afterAll, describe, expect, test } from "bun:test";
import { parseToken } from "../../../lib/models/token.ts";
import { coder, cubInstance } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

const gateway = "http://127.0.0.1:9";
const model = {
  SETT_GATEWAY_URL: gateway,
  SETT_MODEL: "claude-x",
  SETT_MODEL_PROVIDER: "anthropic",
  SETT_MODEL_NAME: "strong",
};
/** Variables of the model, sorted, as the payload. */
const tell = `cat >/dev/null; env | sort | grep -E '^(ANTHROPIC|OPENAI|SETT_MODEL|SETT_GATEWAY)' >seen; \
printf '{"artefact_type":"Seen","artefact_payload":"%s","summary":""}' "$(tr '\\n' ' ' <seen)"; rm seen`;

async function run(env: Record<string, string>, args: (claim: string) => string[] = () => []) {
  await using scene = await cubInstance(redis, `cd "$(mktemp -d)" && { ${tell}; }`, { env });
  const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  await using cub = startCub(scene.env, args(claim));
  const { artefact, grant } = await scene.standIn.ended(claim, coder);
  const pairs = artefact.payload.split(" ").filter((one) => one !== "");
  const seen = Object.fromEntries(pairs.map((one) => one.split(/=(.*)/s)));
  return { claim, seen, grant, log: JSON.stringify(cub.lines), artefact };
}

describe("the command of an agent with a model", () => {
  test.each(["the cub", "a worker"])(
    "of %s finds the gateway, and a token that only this grant has",
    async (who) => {
      const args = who === "a worker" ? (claim: string) => ["--execute-claim", claim] : () => [];
      const env = {
        ...model,
        SETT_GRANT_ATTEMPT: "1",
        ANTHROPIC_API_KEY: "sk-own",
        ANTHROPIC_AUTH_TOKEN: "sk-own",
      };
      const { claim, seen, grant, log, artefact } = await run(env, args);
      const token = parseToken(seen.ANTHROPIC_API_KEY ?? "");
      expect(token).toMatchObject({ kind: "grant", claim, agent: coder, attempt: 1 });
      expect(seen).toEqual({
        ANTHROPIC_BASE_URL: `${gateway}/anthropic`,
        ANTHROPIC_API_KEY: expect.any(String),
        OPENAI_BASE_URL: `${gateway}/openai/v1`,
        OPENAI_API_KEY: seen.ANTHROPIC_API_KEY,
        SETT_MODEL: "claude-x",
        SETT_MODEL_PROVIDER: "anthropic",
      });
      // The blackboard knows the digest alone, and no log the token.
      expect(grant).toMatchObject({ model_token: token?.digest });
      expect(JSON.stringify({ ...artefact, payload: "" })).not.toContain("sett_grant.");
      expect(log).not.toContain("sett_grant.");
    },
  );

  test("without a model finds what the agent has set itself, and nothing else", async () => {
    const { seen, grant } = await run({ OPENAI_API_KEY: "sk-own" });
    expect(seen).toEqual({ OPENAI_API_KEY: "sk-own" });
    expect(grant).not.toHaveProperty("model_token");
  });
});
