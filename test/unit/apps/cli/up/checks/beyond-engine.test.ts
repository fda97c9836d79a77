// Settings that the Engine refuses.
import { expect, test } from "bun:test";
import { beyondEngine } from "../../../../../../apps/cli/up/checks/beyond-engine.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { formatProblem } from "../../../../../../lib/config/problems.ts";

const machine = {
  cpus: 2,
  memoryBytes: 1024 ** 3,
  canLimitSystemCalls: true,
  canLimitProcessors: true,
};

function found(
  resources: string,
  more = "",
  of: Parameters<typeof beyondEngine>[1] = machine,
): string[] {
  const agent = `agents:\n  a:\n    image: some/image:1\n    command: [run]\n    resources: { ${resources} }\n`;
  const { config, mistakes, problemAt } = parseConfig({
    text: `version: '1.0'\n${agent}${more}`,
    file: "sett.yml",
    folder: "/work",
    host: {},
  });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return beyondEngine(config, of).map(({ path, sentence }) =>
    formatProblem(problemAt(path, sentence)),
  );
}

test("more processors than the Engine has are found by key and line", () => {
  const sentence = (count: number) =>
    `is ${count}, and the Docker Engine has 2 processors: lower it, or leave it out`;
  expect(found("limits: { cpus: 64 }")).toEqual([
    `sett.yml:6:34 agents.a.resources.limits.cpus: ${sentence(64)}`,
  ]);
  expect(found("reservations: { cpus: 2.5 }")).toEqual([
    `sett.yml:6:40 agents.a.resources.reservations.cpus: ${sentence(2.5)}`,
  ]);
  expect(found("", "services: { redis: { resources: { limits: { cpus: 3 } } } }\n")).toEqual([
    `sett.yml:7:51 services.redis.resources.limits.cpus: ${sentence(3)}`,
  ]);
});

test("what the Engine has, and what an Engine without such limits does not look at, is accepted", () => {
  expect(found("limits: { cpus: 2 }, reservations: { cpus: 0.5 }")).toEqual([]);
  expect(found("limits: { cpus: 64 }", "", { ...machine, canLimitProcessors: false })).toEqual([]);
});

test("a runtime that the Engine does not know is found by key and line, with those that it knows", () => {
  const of = { ...machine, runtimes: ["runc", "runsc"] };
  const limits = "limits: { cpus: '1' }";
  expect(found(limits, "isolation: gvisor\n", of)).toEqual([]);
  expect(found(limits, "isolation: io.containerd.kata.v2\n", of)).toEqual([]);
  const sentence = (name: string) =>
    `is \`${name}\`, which this Docker Engine does not know; it knows runc, runsc: install it and name it in \`runtimes\` of the Engine's daemon.json, or leave the key out`;
  expect(
    found(`${limits} }\n    isolation: kata\n    environment: { A: b`, "isolation: other\n", of),
  ).toEqual([
    `sett.yml:9:12 isolation: ${sentence("other")}`,
    `sett.yml:7:16 agents.a.isolation: ${sentence("kata")}`,
  ]);
});
