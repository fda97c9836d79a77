// An image declares all that it can, and Sett goes by its own word
// (docs/reference/tool-contract.md#what-an-image-declares).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Answers with what it finds. */
const script = `cat > /dev/null
jq -n --arg uid "$(id -u)" --arg folder "$PWD" '{structural_type: "Terminal", artefact_type: "Done", summary: "",
  artefact_payload: {uid: $uid, folder: $folder, env: $ENV} | tojson}'
`;

/** The command sees its own of these, and the cub none. */
const ofCommand = {
  LD_PRELOAD: "/app/none.so",
  NODE_OPTIONS: "--max-old-space-size=64",
  NODE_EXTRA_CA_CERTS: "/nowhere.pem",
  HTTP_PROXY: "http://127.0.0.1:1",
  https_proxy: "http://127.0.0.1:1",
  NO_PROXY: "nothing.invalid",
  MALLOC_ARENA_MAX: "1",
  GLIBC_TUNABLES: "glibc.malloc.check=3",
  TMPDIR: "/nowhere",
  GREETING: "two words",
};
const ofSett = {
  SETT_WORKSPACE_DIR: "/nowhere",
  SETT_REDIS_TIMEOUT: "1ms",
  SETT_REDIS_GIVE_UP: "1ms",
  SETT_BID_COMMAND: '["false"]',
  SETT_AGENT_REPLICAS: "5",
  SETT_HEALTH_HOST: "192.0.2.1",
  SETT_HEALTH_PORT: "1",
  SETT_SECRETS_DIR: "/etc",
  SETT_SECRETS: '{"a":"B"}',
  SETT_MODEL: "x",
  SETT_CONTEXT_BYTES: "1",
  SETT_PROMPT_CLAIM: "Never.",
  SETT_STOP_SIGNAL: "SIGKILL",
  SETT_WORK_STEPS: "none",
  REDIS_URL: "redis://192.0.2.1:1",
  BUN_OPTIONS: "--preload=/nowhere.ts",
  BUN_BE_BUN: "1",
  BUN_INSPECT: "127.0.0.1:8080",
};

const dockerfile = `FROM sett/agent-base:latest
COPY run.sh /app/run.sh
ENV ${Object.entries({ ...ofCommand, ...ofSett })
  .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  .join(" ")}
USER 0
WORKDIR /workspace/deep
ENTRYPOINT ["/bin/false"]
CMD ["more"]
HEALTHCHECK --interval=1s --retries=1 CMD ["/bin/false"]
STOPSIGNAL SIGKILL
VOLUME /tmp /workspace /git
EXPOSE 8080
SHELL ["/bin/false"]
ONBUILD RUN false
LABEL dev.sett.instance=other dev.sett.component=redis dev.sett.fingerprint=other dev.sett.goal=other
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("loud", script),
    "agents/loud/Dockerfile": dockerfile,
    "sett.yml": settYml({ loud: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = () => `sett-${sett.name}-agent-loud`;
const inspect = async (format: string) =>
  (await $`docker inspect --format ${format} ${container()}`.text()).trim();

test("the agent works as it would in another image, and its command sees the variables that are for it", async () => {
  const { id } = JSON.parse(await sett.need("forage", "--watch", "--json", "--goal", "look"));
  const { uid, folder, env } = JSON.parse(
    (await sett.artefacts(id)).find(({ type }) => type === "Done")?.payload ?? "",
  );
  expect([uid, folder]).toEqual([(await inspect("{{.Config.User}}")).split(":")[0], "/workspace"]);
  // Its model is at 127.0.0.1, where no proxy leads.
  const hosts = `${ofCommand.NO_PROXY},localhost,127.0.0.1,127.0.0.0/8,::1,0.0.0.0,::`;
  expect(env).toMatchObject({ ...ofCommand, NO_PROXY: hosts, no_proxy: hosts });
  const ours = {
    ...{ SETT_AGENT_NAME: "loud", SETT_AGENT_ROLE: "loud", SETT_INSTANCE_NAME: sett.name },
    SETT_REMARKS: expect.stringMatching(/^\/tmp\/sett-remarks-\w+\/remarks\.jsonl$/),
  };
  const seen = Object.entries(env).filter(([name]) => /^(?:SETT|BUN)_|REDIS_URL/.test(name));
  expect(Object.fromEntries(seen)).toEqual(ours);
});

test("its container is healthy, of this instance, and publishes nothing", async () => {
  await waitFor(
    "its health",
    async () => (await inspect("{{.State.Health.Status}}")) === "healthy",
  );
  expect(await inspect("{{json .NetworkSettings.Ports}}")).toBe("{}");
  const { out } = await sett.sett("list", "--json");
  expect(JSON.stringify(JSON.parse(out))).toContain(container());
});

test("its cub stops in order", async () => {
  await $`docker stop --time 20 ${container()}`.quiet();
  expect(await inspect("{{.State.ExitCode}}")).toBe("0");
});
