// Shows what `sett up` advises where Redis ends at its start: each fatal line is one that a real
// Redis has just printed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aclFileScript } from "../../../apps/cli/services/redis-acl-file.ts";
import { wholeFilesScript } from "../../../apps/cli/services/redis-files.ts";
import { redisRemedy } from "../../../apps/cli/up/apply/redis-remedy.ts";
import { placeInFolder, placeInVolume } from "../../../apps/cli/up/hosts/data-place.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

let whole: string;

beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), "sett-whole-"));
  const server = await startRedisServer({ folder: whole });
  await server.cli("SET", "key", "x".repeat(1_000));
  await server.cli("BGREWRITEAOF");
  await server.cli("SET", "other", "y".repeat(1_000));
  await server.stop();
});

afterAll(async () => {
  await rm(whole, { recursive: true });
});

const part = {
  labels: {
    instance: InstanceName.parse("demo"),
    component: "redis" as const,
    version: "1",
    workspace: "/w",
    fingerprint: "f",
  },
  image: { tag: "sett/redis:1", id: "sha256:1" },
};

/**
 * The last lines of a Redis that was started on a copy of the folder after `damage`, and whether
 * its files are as the damage left them.
 */
async function linesAfter(damage: (files: string) => Promise<void>, ...settings: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "sett-damaged-"));
  await cp(whole, folder, { recursive: true });
  const files = join(folder, "appendonlydir");
  await damage(files);
  const flags = [
    "--port",
    "0",
    "--unixsocket",
    join(folder, "redis.sock"),
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
  ];
  const child = Bun.spawn(["redis-server", ...flags, ...settings], {
    stdout: "pipe",
    stderr: "pipe",
    timeout: 120_000,
  });
  const text =
    (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  expect(await child.exited).not.toBe(0);
  await rm(folder, { recursive: true });
  return text.split("\n").slice(-20);
}

const one = async (files: string, ending: string) =>
  join(files, (await readdir(files)).findLast((name) => name.endsWith(ending)) ?? "");

const damages: [string, RegExp, (files: string) => Promise<void>, ...string[]][] = [
  [
    "an empty manifest",
    /The list of the append-only files/,
    (files) => truncate(join(files, "appendonly.aof.manifest")),
  ],
  [
    "a manifest with other words",
    /The list of the append-only files/,
    (files) => writeFile(join(files, "appendonly.aof.manifest"), "nonsense\n"),
  ],
  [
    "a manifest with a wrong type",
    /The list of the append-only files/,
    (files) => writeFile(join(files, "appendonly.aof.manifest"), "file a seq 1 type z\n"),
  ],
  [
    "a file in the place of the folder",
    /appendonlydir is a file/,
    async (files) => {
      await rm(files, { recursive: true });
      await writeFile(files, "");
    },
  ],
  [
    "a tail with a command that lacks its words, of which this Redis crashes",
    /redis-check-aof/,
    async (files) => appendFile(await one(files, ".incr.aof"), "*1\r\n$3\r\nSET\r\n"),
  ],
  [
    "a tail that a crash of the machine has filled with zeros",
    /redis-check-aof/,
    async (files) => appendFile(await one(files, ".incr.aof"), Buffer.alloc(4_096)),
  ],
  [
    "a base file that a manifest names twice",
    /The list of the append-only files/,
    (files) =>
      appendFile(
        join(files, "appendonly.aof.manifest"),
        "file appendonly.aof.9.base.rdb seq 9 type b\n",
      ),
  ],
  [
    "a base file that is gone",
    /is gone: put it back/,
    async (files) => rm(await one(files, ".base.rdb")),
  ],
  [
    "a tail that is gone",
    /is gone: put it back/,
    async (files) => rm(await one(files, ".incr.aof")),
  ],
  [
    "a tail in whose place a folder is",
    /a folder or a link has the name of a file of Redis/,
    async (files) => {
      const file = await one(files, ".incr.aof");
      await rm(file);
      await mkdir(file);
    },
  ],
  [
    "a base file of rubbish",
    /The base file in/,
    async (files) => writeFile(await one(files, ".base.rdb"), "rubbish, and more of it"),
  ],
  [
    "a base file that is changed",
    /The base file in/,
    async (files) => {
      const file = await one(files, ".base.rdb");
      const bytes = await readFile(file);
      bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 0xff;
      await writeFile(file, bytes);
    },
  ],
  [
    "a base file that is cut short",
    /The base file in/,
    async (files) => {
      const file = await one(files, ".base.rdb");
      await truncate(file, (await readFile(file)).length - 20);
    },
  ],
  [
    "a base file of a newer Redis",
    /written by another, mostly a newer Redis/,
    async (files) => {
      const file = await one(files, ".base.rdb");
      const bytes = await readFile(file);
      bytes.write("REDIS0099");
      await writeFile(file, bytes);
    },
  ],
  [
    "a tail of rubbish",
    /redis-check-aof/,
    async (files) => writeFile(await one(files, ".incr.aof"), "rubbish\r\n"),
  ],
  [
    "a tail with a command that there is not",
    /redis-check-aof/,
    async (files) => writeFile(await one(files, ".incr.aof"), "*1\r\n$6\r\nNOSUCH\r\n"),
  ],
  [
    "a tail that is cut, where that is not loaded",
    /redis-check-aof/,
    async (files) => {
      const file = await one(files, ".incr.aof");
      await truncate(file, (await readFile(file)).length - 5);
    },
    "--aof-load-truncated",
    "no",
  ],
  [
    "users that cannot be read",
    /The users of Redis in/,
    (files) => writeFile(join(files, "../users.acl"), "user broken +nosuchcommand\n"),
    "--aclfile",
    "users.acl",
  ],
  [
    "users that are gone",
    /The users of Redis in|may not read or write/,
    async () => {},
    "--aclfile",
    "no-such.acl",
  ],
  [
    "a setting that it does not know",
    /does not know a setting/,
    async () => {},
    "--no-such-setting",
    "1",
  ],
  [
    "a port that cannot be had",
    /Another program listens/,
    async () => {},
    "--port",
    "1",
    "--bind",
    "203.0.113.1",
  ],
];

test.each(damages)("%s has its remedy", async (_, remedy, damage, ...settings) => {
  const lines = await linesAfter(damage, ...settings);
  const advice = redisRemedy(lines, placeInVolume(part));
  expect({ advice, lines }).toMatchObject({ advice: expect.stringMatching(remedy) });
});

/** What the script that starts Redis says to a copy of the folder after `damage`. */
async function beforeRedis(damage: (files: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "sett-damaged-"));
  await cp(whole, folder, { recursive: true });
  const files = join(folder, "appendonlydir");
  await damage(files);
  const script = `${wholeFilesScript("appendonlydir")}\necho start`;
  const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd: folder });
  await rm(folder, { recursive: true });
  return { isStarted: stdout.toString() === "start\n", lines: stderr.toString().split("\n") };
}

/** Leaves of the list of files the lines with these words. */
async function keepLines(files: string, words: string): Promise<void> {
  const list = join(files, "appendonly.aof.manifest");
  const lines = (await readFile(list, "utf8")).split("\n").filter((line) => line.includes(words));
  await writeFile(list, lines.map((line) => `${line}\n`).join(""));
}

test("Redis is not started where it would begin an empty blackboard beside files of another, and each has its remedy", async () => {
  const noManifest = (files: string) => rm(join(files, "appendonly.aof.manifest"));
  const refused: [RegExp, (files: string) => Promise<void>][] = [
    [/The base file in/, async (files) => truncate(await one(files, ".base.rdb"))],
    [/The list of the append-only files/, noManifest],
    [
      /The list of the append-only files/,
      async (files) => {
        await noManifest(files);
        await rm(await one(files, ".base.rdb"));
      },
    ],
    [/The list of the append-only files/, (files) => keepLines(files, "type b")],
    [/The list of the append-only files/, (files) => keepLines(files, "type i")],
  ];
  for (const [remedy, damage] of refused) {
    const { isStarted, lines } = await beforeRedis(damage);
    const advice = redisRemedy(lines, placeInVolume(part));
    expect({ isStarted, lines, advice }).toMatchObject({
      isStarted: false,
      advice: expect.stringMatching(remedy),
    });
  }
  const started: ((files: string) => Promise<void>)[] = [
    async () => {},
    (files) => rm(files, { recursive: true }),
    // A rewrite that was killed.
    async (files) => {
      await writeFile(join(files, "appendonly.aof.3.base.rdb"), "REDIS0011");
      await writeFile(join(files, "appendonly.aof.3.incr.aof"), "");
    },
    // A first start that was killed.
    async (files) => {
      for (const name of await readdir(files)) await rm(join(files, name));
      await writeFile(join(files, "appendonly.aof.1.base.rdb"), "REDIS0011");
      await writeFile(join(files, "appendonly.aof.1.incr.aof"), "");
    },
  ];
  for (const damage of started)
    expect(await beforeRedis(damage)).toEqual({ isStarted: true, lines: [""] });
});

test("Redis is not started where its file of users cannot be written, for it would let in all as the owner", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-users-"));
  await mkdir(join(folder, "users.acl"));
  const script = `${aclFileScript("users.acl")}\necho start`;
  const { stdout, stderr, exitCode } = Bun.spawnSync(["sh", "-c", script], { cwd: folder });
  await rm(folder, { recursive: true });
  expect([stdout.toString(), exitCode]).toEqual(["", 1]);
  const advice = redisRemedy(stderr.toString().split("\n"), placeInVolume(part));
  expect(advice).toContain("The users of Redis in the volume");
});

test("a Redis that the kernel ends for lack of memory or that crashes in its report, and an image that has none, have their remedies", () => {
  // Redis says it of the users that Sett gives it, at each start.
  const loading = [
    "1:M 26 Nov 2026 14:40:40.384 # Deprecation warning: Allowing a first arg of an otherwise blocked command is a misuse of ACL and may get disabled in the future (offender: +info|persistence)",
    "1:M 26 Nov 2026 14:40:40.384 * RDB is base AOF",
  ];
  expect(redisRemedy(loading, placeInVolume(part))).toBeUndefined();
  expect(redisRemedy(loading, placeInVolume(part), true)).toContain("needs more memory");
  const crashing = ["*** Preparing to test memory region 7fc0e87fd000 (8388608 bytes)", ".O.O.O"];
  expect(redisRemedy(crashing, placeInVolume(part))).toContain("has crashed while it read");
  expect(redisRemedy(["sh: 16: exec: redis-server: not found"], placeInVolume(part))).toContain(
    "has no Redis",
  );
});

/** Redis, its libraries and the system say these, and none of them can be had here. */
const elsewhere: [string, RegExp][] = [
  ["Fatal: Can't initialize Background Jobs. Error message: Operation not permitted", /threads/],
  ["Fatal: Can't initialize Background Jobs. Error message: Resource temp…", /too few open files/],
  ["Redis will now exit to prevent data corruption. Note that …", /The kernel of this machine/],
  ["Failed opening Unix socket: bind: Permission denied", /the folder of its socket/],
  ["Can't open or create append-only dir appendonlydir: Input/output error", /The disk of/],
  ["Fatal error loading the DB: Structure needs cleaning. Exiting.", /The disk of/],
  ["Terminating server after rdb file reading failure.", /The base file in/],
  ["=== ASSERTION FAILED ===", /has crashed while it read/],
  ["Failed to configure TLS. Check logs for more info.", /does not know a setting/],
];
const fromSystem = [
  "exec /usr/bin/sh: exec format error",
  "sh: 1: exec: redis-server: Permission denied",
  "<jemalloc>: Unsupported system page size",
  "Fatal glibc error: CPU does not support x86-64-v2",
  "redis-server: error while loading shared libraries: libssl.so.3: cannot open shared object file",
];

test("what only another machine or image has Redis say has its remedy, and a few open files hide none", () => {
  const mark = (text: string) => `1:M 26 Nov 2026 14:40:40.384 # ${text}`;
  // An Engine that gives few open files has Redis say so at each start, and Redis goes on.
  const few = [
    "You requested maxclients of 10000 requiring at least 10032 max file descriptors.",
    "Server can't set maximum open files to 10032 because of OS error: Operation not permitted.",
    "Current maximum open files is 4096. maxclients has been reduced to 4064 …",
  ].map(mark);
  expect(redisRemedy(few, placeInVolume(part))).toBeUndefined();
  const manifest = [...few, mark("Found an empty AOF manifest")];
  expect(redisRemedy(manifest, placeInVolume(part))).toMatch(/The list of the append-only files/);
  for (const [text, remedy] of elsewhere)
    expect([text, redisRemedy([...few, mark(text)], placeInVolume(part))]).toEqual([
      text,
      expect.stringMatching(remedy),
    ]);
  for (const text of fromSystem)
    expect([text, redisRemedy([text], placeInVolume(part))]).toEqual([
      text,
      expect.stringContaining("has no Redis that runs on this machine"),
    ]);
});

test("commands are for the volume, or for the folder of a Redis that is a process", async () => {
  const lines = ["1:M # Found an empty AOF manifest"];
  expect(redisRemedy(lines, placeInVolume(part))).toContain(
    "docker run --rm -v sett-demo-blackboard:/data --entrypoint ls sett/redis:1 /data/appendonlydir",
  );
  const here = redisRemedy(lines, placeInFolder("/state/volumes/sett-demo-blackboard"));
  expect(here).toContain("`ls /state/volumes/sett-demo-blackboard/appendonlydir`");
  expect(here).not.toContain("docker");
});

test("what Redis says on its way up is no cause", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-again-"));
  await cp(whole, folder, { recursive: true });
  const child = Bun.spawn(
    [
      "redis-server",
      "--port",
      "0",
      "--unixsocket",
      join(folder, "redis.sock"),
      "--dir",
      folder,
      "--appendonly",
      "yes",
    ],
    {
      stdout: "pipe",
    },
  );
  const lines: string[] = [];
  for await (const chunk of child.stdout) {
    lines.push(...new TextDecoder().decode(chunk).split("\n"));
    if (
      lines.some(
        (line) =>
          line.includes("server is now ready to accept connections") ||
          line.includes("Ready to accept"),
      )
    )
      child.kill();
  }
  expect(lines.join("\n")).toContain("RDB");
  expect(redisRemedy(lines, placeInVolume(part))).toBeUndefined();
  await rm(folder, { recursive: true });
});
