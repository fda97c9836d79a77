// Runtimes that the Engine takes by their names.
import { expect, test } from "bun:test";
import { absentRuntimes } from "../../../../../../apps/cli/up/checks/absent-runtimes.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";

test("a runtime that the Engine does not list is tried once, and found by each key that names it", async () => {
  const names = ["io.containerd.lost.v2", "io.containerd.there.v1", "gvisor", "runc"];
  const agents = [...names, names[0]].map(
    (name, at) => `  a${at}: { image: "some/image:1", command: [run], isolation: ${name} }`,
  );
  const { config, mistakes } = parseConfig({
    text: `version: '1.0'\nisolation: ${names[0]}\nagents:\n${agents.join("\n")}\n`,
    ...{ file: "sett.yml", folder: "/work", host: {} },
  });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  const tried: string[] = [];
  const takesRuntime = async (name: string) => {
    tried.push(name);
    return name === "io.containerd.there.v1";
  };
  const instance = InstanceName.parse("demo");
  const labels = { instance, component: "network" as const, version: "1", workspace: "/w" };
  const known = ["runc", "runsc"];
  const findings = await absentRuntimes(config, { takesRuntime, known, labels });
  expect(tried).toEqual(names.slice(0, 2));
  const sentence = expect.stringMatching(
    /^is `io\.containerd\.lost\.v2`, which .* it knows runc, runsc: /,
  );
  expect(findings).toEqual([
    { path: ["isolation"], sentence },
    { path: ["agents", "a0", "isolation"], sentence },
    { path: ["agents", "a4", "isolation"], sentence },
  ]);
});
