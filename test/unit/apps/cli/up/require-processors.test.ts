// Processors that the Engine does not have.
import { expect, test } from "bun:test";
import { requireProcessors } from "../../../../../apps/cli/up/require-processors.ts";
import { parseConfig } from "../../../../../lib/config/parse-config.ts";

const machine = { cpus: 2, memoryBytes: 1024 ** 3, canLimitSystemCalls: true, canLimitProcessors: true };

function check(resources: string, more = "", of = machine): void {
  const agent = `agents:\n  a:\n    image: some/image:1\n    command: [run]\n    resources: { ${resources} }\n`;
  const { config, mistakes } = parseConfig({
    text: `version: '1.0'\n${agent}${more}`,
    file: "sett.yml",
    folder: "/work",
    host: {},
  });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  requireProcessors(config, of);
}

test("more processors than the Engine has are refused by key, before anything is built", () => {
  const refused = (key: string, count: number) =>
    `The Docker Engine has 2 processors, and sett.yml asks for more: \`${key}\` is ${count}.`;
  expect(() => check("limits: { cpus: 64 }")).toThrow(refused("agents.a.resources.limits.cpus", 64));
  expect(() => check("reservations: { cpus: 2.5 }")).toThrow(refused("agents.a.resources.reservations.cpus", 2.5));
  expect(() => check("", "services: { redis: { resources: { limits: { cpus: 3 } } } }\n")).toThrow(
    refused("services.redis.resources.limits.cpus", 3),
  );
});

test("what the Engine has, and what an Engine without such limits does not look at, is accepted", () => {
  check("limits: { cpus: 2 }, reservations: { cpus: 0.5 }");
  check("limits: { cpus: 64 }", "", { ...machine, canLimitProcessors: false });
});
