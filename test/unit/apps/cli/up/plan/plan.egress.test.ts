// The egress proxy in the plan of an instance.
import { expect, test } from "bun:test";
import { changedParts } from "../../../../../../lib/runtime/fingerprint.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const config = sampleConfig(
  "version: '1.0'\nagents:\n  one: { image: some/image:1, command: [run], network: open }\n",
);
const proxyAt = (...machineNetworks: string[]) =>
  samplePlan(config, { machineNetworks }).egress?.spec;

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
