import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../../../../lib/config/read-config.ts";
import {
  configFolder,
  failureOf,
  mistakesIn,
  validText,
} from "../../../support/config/config-file.ts";

test("a short file gets every default", async () => {
  await using made = await configFolder({ "sett.yml": validText });
  const { config, warnings } = await readConfig(made.path, {});
  expect(warnings).toEqual([]);
  expect(JSON.parse(JSON.stringify(config))).toEqual({
    clarification: "human",
    consensus: "full",
    limits: {
      review_rounds: 3,
      artefacts_per_goal: 500,
      bid_deadline_ms: 30_000,
      shutdown_ms: 30_000,
      output_bytes: 16 * 1024 ** 2,
      lease_ms: 15_000,
      budget: {},
      spending: { instance: {}, people: {}, triggers: {} },
    },
    models: { record: "bodies", way: {}, settings: {}, keys: {} },
    tools: { settings: {}, headers: {} },
    retention: {},
    services: {
      orchestrator: {},
      packs: "folders",
      redis: { resources: { limits: {} }, timeout_ms: 3_000, give_up_ms: 60_000 },
      reach: "sockets",
    },
    images: {},
    kubernetes: {},
    external: [],
    people: [],
    proof: { mode: "off" },
    builtIn: [],
    forges: {},
    order: ["a"],
    notify: [],
    triggers: [],
    secrets: {},
    agents: [
      {
        name: "a",
        role: "a",
        source: { kind: "image", image: "debian:bookworm-slim" },
        command: ["run"],
        bids: [],
        on_missing_bid: "wait",
        replicas: 1,
        strategy: "reuse",
        ...{ on_demand: false, idle_ms: 300_000 },
        workspace: { mode: "ro", keep: false },
        environment: {},
        network: "board",
        egress: [],
        secrets: [],
        services: [],
        resources: { limits: { pids: 2048, files: 4096, disk_bytes: 10 * 1024 ** 3 } },
        prompts: {},
        budget: {},
        on_budget: "fail",
        tools: [],
        timeout_ms: 300_000,
        shutdown_ms: 30_000,
        retries: 0,
      },
    ],
  });
});

test("paths of a build are relative to the file, and its Dockerfile to the context", async () => {
  const text =
    "version: '1.0'\nagents:\n  a:\n    build: { context: ./x, dockerfile: in/D, args: { V: 1.10 } }\n    command: [run]\n";
  await using made = await configFolder({ "sett.yml": text, "x/in/D": "FROM scratch\n" });
  const { config } = await readConfig(made.path, {});
  expect(config.agents[0]?.source).toEqual({
    kind: "build",
    context: join(made.folder, "x"),
    dockerfile: join(made.folder, "x/in/D"),
    args: { V: "1.10" },
  });
});

test("a build folder that is missing is named with its line, each of them", async () => {
  const text =
    "version: '1.0'\nagents:\n  a:\n    build: ./none\n    command: [run]\n  b:\n    build: { context: x }\n    command: [run]\n" +
    "  c:\n    build:\n      context: sett.yml\n    command: [run]\n  d:\n    build: { context: y, dockerfile: ../sett.yml }\n    command: [run]\n" +
    "  e:\n    build: { context: z, dockerfile: s/Dockerfile }\n    command: [run]\n";
  const others = { "x/other": "", "y/Dockerfile": "", "z/s/Containerfile": "" };
  await using made = await configFolder({ "sett.yml": text, ...others });
  const error = await failureOf(readConfig(made.path, {}));
  expect(error.message.replaceAll(`${made.folder}/`, "").split("\n")).toEqual([
    "sett.yml has 5 mistakes:",
    "  sett.yml:4:12 agents.a.build.context: there is no folder none",
    "  sett.yml:7:5 agents.b.build.dockerfile: there is no file x/Dockerfile",
    "  sett.yml:11:16 agents.c.build.context: is a file: it must be the folder to build from",
    "  sett.yml:14:38 agents.d.build.dockerfile: must lie inside the build folder",
    "  sett.yml:17:38 agents.e.build.dockerfile: there is no file z/s/Dockerfile, but s/Containerfile: write `dockerfile: s/Containerfile`",
  ]);
});

test("mistakes of every kind are reported together, in the order of the file", async () => {
  const text = `version: 1.0
agents:
  a:
    build: ./none
    comand: [run]
    environment: ["TOKEN=\${NOPE}"]
    timeout: soon
    timeout: 5m
`;
  expect(await mistakesIn(text)).toEqual([
    "sett.yml:1:10 version: must be `'1.0'`, with the quotes",
    'sett.yml:3:3 agents.a.command: is missing: write `command: ["/app/run.sh"]`, or a `model` and `prompts: { execution: … }`',
    "sett.yml:4:12 agents.a.build.context: there is no folder none",
    "sett.yml:5:5 agents.a.comand: is unknown here: did you mean `command`?",
    "sett.yml:6:19 agents.a.environment[0]: needs the variable `NOPE`, which is not set on this machine",
    "sett.yml:8:5 agents.a.timeout: the key `timeout` is here a second time",
  ]);
});

test("a file that lacks nothing but a variable of this machine is not called wrong", async () => {
  await using made = await configFolder({
    "sett.yml": `${validText}    environment: ["TOKEN=\${NOPE}"]\n`,
  });
  const { message, hint } = await failureOf(readConfig(made.path, {}));
  expect(message).toStartWith(`${made.path} needs what is not set here:\n`);
  expect(message).toEndWith(
    "environment[0]: needs the variable `NOPE`, which is not set on this machine",
  );
  expect(hint).toContain("export NAME=");
});

test("a missing file says how to make one", async () => {
  await using made = await configFolder({});
  const error = await failureOf(readConfig(made.path, {}));
  expect([error.code, error.message, error.exitCode]).toEqual([
    "config-missing",
    `There is no ${made.path}.`,
    2,
  ]);
  expect(error.hint).toContain("sett init");
});

test("a folder, an endless file and one that is not UTF-8 are refused with a sentence", async () => {
  await using made = await configFolder({
    "sett.yml/x": "",
    big: " ".repeat(300_000),
    latin: new Uint8Array([0x61, 0xe9, 0x0a]),
  });
  expect((await failureOf(readConfig(made.path, {}))).message).toEndWith(
    "is a folder, not a file.",
  );
  expect((await failureOf(readConfig(join(made.folder, "big"), {}))).message).toContain(
    "larger than 256 KiB",
  );
  expect((await failureOf(readConfig(join(made.folder, "latin"), {}))).message).toEndWith(
    "is not UTF-8 text.",
  );
  expect((await failureOf(readConfig(join(made.folder, "latin/sett.yml"), {}))).code).toBe(
    "config-missing",
  );
});

test("a file that cannot be opened is refused with a sentence", async () => {
  await using made = await configFolder({});
  await symlink("sett.yml", made.path);
  expect((await failureOf(readConfig(made.path, {}))).message).toContain("cannot be read: ELOOP");
});

test("a byte order mark and Windows line endings change nothing", async () => {
  await using made = await configFolder({
    "sett.yml": `\uFEFF${validText.replaceAll("\n", "\r\n")}`,
  });
  expect((await readConfig(made.path, {})).config.agents[0]?.command).toEqual(["run"]);
});
