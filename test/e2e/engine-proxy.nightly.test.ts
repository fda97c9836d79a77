// The command line through a proxy of the Engine's socket that refuses what the documentation does
// not name.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startEngineProxy } from "../support/docker/engine-proxy.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

test("an instance starts, works, shows its logs and ends through a proxy that lets through what the page says", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/operations.md")).text();
  const [, section = ""] = page.split("## A proxy before the Engine's socket\n");
  const table = section.split("\n## ")[0] ?? "";
  const requests = [...table.matchAll(/`((?:GET|HEAD|POST|PUT|DELETE) \/[^`]*)`/g)].map(
    ([, line = ""]) => line,
  );
  await using proxy = await startEngineProxy();
  proxy.allowOnly(
    requests.map((line) => new RegExp(`^${line.replace("/NAME", "/[^?]+")}(?:\\?|$)`)),
  );
  await using sett = await SettWorkspace.create({
    ...scriptAgent(
      "tester",
      `jq -n '{artefact_type: "Report", artefact_payload: "x", summary: "done"}'`,
    ),
    "sett.yml": settYml({
      tester: [
        "    strategy: fresh_per_call\n    egress: [registry.example.org:443]",
        "    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
      ].join("\n"),
    }),
  });
  sett.env = { DOCKER_HOST: `unix://${proxy.path}` };
  await sett.commit("Add a sett");
  await sett.up();
  const goal = await sett.forage("through the proxy");
  await waitFor(
    "the report",
    async () => (await sett.artefacts(goal)).find(({ type }) => type === "Report"),
    { everyMs: 200 },
  );
  await sett.need("logs", "tester");
  await sett.need("down", "--volumes");
  expect(proxy.requests.filter(({ passed }) => !passed)).toEqual([]);
  // Proxies log addresses, and many limit their length: what belongs to the body is not in them.
  expect(
    proxy.requests.filter(({ line }) => /HostConfig|Env=/.test(line) || line.length > 1_000),
  ).toEqual([]);
});
