// The egress proxy in the plan of an instance.
import { expect, test } from "bun:test";
import { changedParts } from "../../../../../apps/cli/up/fingerprint.ts";
import { planInstance } from "../../../../../apps/cli/up/plan.ts";
import { parseConfig } from "../../../../../lib/config/parse-config.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";

const user = { uid: 1000, gid: 1001 };
const image = (tag: string) => ({ tag, id: "sha256:1", env: {} });

function proxyAt(...machineNetworks: string[]) {
  const text = "version: '1.0'\nagents:\n  one: { image: some/image:1, command: [run], network: open }\n";
  const { config, mistakes } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return planInstance({
    instance: InstanceName.parse("demo"),
    workspace: "/home/ada/repository",
    version: "1.2.3",
    config,
    repository: { objectsDir: "/objects", exchangeDir: "/exchange", user },
    registrations: [],
    images: {
      redis: image("redis:7-alpine"),
      orchestrator: image("sett/orchestrator:1.2.3"),
      gateway: image("sett/gateway:1.2.3"),
      cub: image("sett/cub:1.2.3"),
      agents: new Map(config.agents.map(({ name }) => [name, image("some/image:1")])),
    },
    password: "secret",
    machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: true, canLimitProcessors: true },
    engineSocket: undefined,
    machineNetworks,
  }).egress?.spec;
}

test("it knows the addresses of this machine, and another address replaces its container", () => {
  const [one, same, other] = [
    proxyAt("93.184.216.34/32"),
    proxyAt("93.184.216.34/32"),
    proxyAt("93.184.216.34/32", "2a01:4f8:1:2::/64"),
  ];
  expect(one?.env.SETT_EGRESS_MACHINE).toBe('["93.184.216.34/32"]');
  expect(same?.labels.fingerprint).toBe(one?.labels.fingerprint ?? "none");
  expect(changedParts(one?.labels.fingerprint, other?.labels.fingerprint)).toEqual(["container"]);
});
