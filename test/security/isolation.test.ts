// An agent whose commands have gVisor's kernel between them and the machine. It is skipped where
// the Engine does not have it (docs/guides/isolation.md says how it gets it).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { $ } from "bun";
import { bidByName } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const known = await $`docker info --format ${"{{json .Runtimes}}"}`.quiet().nothrow().text();
const inGvisor = test.skipIf(!known.includes('"runsc"'));

/** Does what the goal says after its name, and answers with what that has written. */
const runner = `work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload | sed '1s/^[a-z]*: //' > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null > /tmp/out 2>&1
jq -n --rawfile text /tmp/out '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

let sett: SettWorkspace;

beforeAll(async () => {
  if (!known.includes('"runsc"')) return;
  sett = await SettWorkspace.create({
    ...scriptAgent("caged", runner),
    ...scriptAgent("plain", runner),
    "sett.yml": settYml({
      caged: `    isolation: gvisor\n    workspace: { mode: rw }\n${bidByName("caged")}`,
      plain: bidByName("plain"),
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

async function outputOf(agent: string, script: string): Promise<string> {
  const goal = await sett.forage(`${agent}: ${script}`);
  const found = await waitFor("the result", async () =>
    (await sett.artefacts(goal)).find(({ type }) => type !== "GoalDefined"),
  );
  return found.payload;
}

inGvisor("its commands see another kernel, and `sett doctor` names each agent's", async () => {
  const [caged, plain] = [await outputOf("caged", "uname -v"), await outputOf("plain", "uname -v")];
  expect(caged).not.toBe(plain);
  const { out } = await sett.sett("doctor", "--json");
  const findings: { subject: string; check: string; found: string }[] = JSON.parse(out).findings;
  const kernels = findings.filter(({ check }) => check === "kernel");
  expect(kernels.map(({ subject, found }) => [subject, found])).toEqual([
    ["agent caged", "gVisor's own (runsc)"],
    ["agent plain", "that of the machine (runc)"],
  ]);
});

inGvisor(
  "its cage holds: nothing of the cub can be read, also while a health check runs",
  async () => {
    const name = `sett-${sett.name}-agent-caged`;
    const config = JSON.parse(
      await $`docker inspect --format ${"{{json .Config}}"} ${name}`.text(),
    );
    const [, half] = config.Entrypoint[1].split("=");
    const reads = ["environ", "mem", "maps", "auxv"].map((file) => `/proc/1/${file}`);
    const script = [
      ...reads.map((path) => `head -c 1 ${path} > /dev/null 2>&1 && echo read ${path}`),
      "readlink /proc/1/exe > /dev/null && echo read exe",
      "end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; done 2> /dev/null | tr '\\0' '\\n' | sort -u",
    ].join("\n");
    const watching = outputOf("caged", script);
    for (let checks = 0; checks < 3; checks++)
      await $`docker exec ${name} /cub/cub --healthcheck`.quiet();
    const seen = await watching;
    expect(seen).toContain("SETT_AGENT_NAME=caged");
    expect(seen).not.toContain(half);
    expect(seen).not.toMatch(/^read /m);
  },
);

inGvisor(
  "its watches of files are counted by its own kernel, and not with those of others",
  async () => {
    const limit = Number(await readFile("/proc/sys/fs/inotify/max_user_instances", "utf8"));
    const script = `cat > /tmp/watches.ts <<'END'
import { dlopen } from "bun:ffi";
const { symbols: { inotify_init } } = dlopen("libc.so.6", { inotify_init: { args: [], returns: "i32" } });
let made = 0;
while (made < ${Math.min(limit + 10, 3_000)} && inotify_init() >= 0) made++;
console.log(made);
END
BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /tmp/watches.ts`;
    expect(Number(await outputOf("caged", script))).toBe(Math.min(limit + 10, 3_000));
  },
);

/** Makes segments of shared memory, or says how many there are. */
const shared = (body: string) => `cat > /tmp/shared.ts <<'END'
import { dlopen, ptr } from "bun:ffi";
const { symbols: { shmget, shmctl } } = dlopen("libc.so.6", {
  shmget: { args: ["i32", "u64", "i32"], returns: "i32" },
  shmctl: { args: ["i32", "i32", "ptr"], returns: "i32" },
});
const info = Buffer.alloc(64);
${body}
shmctl(0, 14, ptr(info));
console.log(info.readInt32LE(0));
END
BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /tmp/shared.ts`;

inGvisor(
  "shared memory of one grant is gone in the next, although its kernel lists none",
  async () => {
    const make = (times: number) =>
      `for (let at = 0; at < ${times}; at++) shmget(0, 4096, 0o1600);`;
    expect(await outputOf("caged", shared(make(3)))).toBe("3\n");
    expect(await outputOf("caged", shared(""))).toBe("0\n");
  },
);
