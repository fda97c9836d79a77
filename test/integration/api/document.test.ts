// The API held to its own document by a tester that invents requests: no failure of the program,
// and no answer that is not documented.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { defaultLimits, type Logs } from "../../../apps/api/deps.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { Trigger } from "../../../lib/model/trigger.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import { commitFiles, hostEnv, sampleRepository } from "../../support/git/sample-repository.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { root } from "../../support/root.ts";

const seconds = isNight ? 20 : 2;
const checks = [
  ...[
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
  ],
  ...["response_headers_conformance", "negative_data_rejection", "ignored_auth"],
];

const logs: Logs = {
  async *read() {
    yield '{"msg":"A line"}';
  },
};

/**
 * This is what a forge sends with each delivery, so that invented events are more than strangers'
 * ones.
 */
const secret = "a secret token of the tests";
const trigger = {
  ...{
    kind: "webhook",
    name: "forge",
    forge: "gitlab",
    secret: "forge",
    events: ["push"],
    branches: [],
    people: [],
  },
  goal: "Check {{ commit }}: {{ title }}",
};

let scene: ApiScene;
let repository: ReturnType<typeof sampleRepository>;
let folder: string;
let ids: { goal: Artefact; made: Artefact; failure: Artefact };

/** An instance in which every address has something to show. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-schemathesis-"));
  repository = sampleRepository();
  const commit = commitFiles(repository.path, { "new.txt": "new" });
  const limits = { ...defaultLimits, requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 };
  scene = await ApiScene.start(
    {
      coder: {
        ...bids({ on: "GoalDefined", bid: "exclusive" }),
        tool: async ({ target_artefact: { payload } }) => {
          if (payload === "fail")
            return {
              structural_type: "Failure",
              artefact_payload: "No",
              summary: "It cannot be done",
            };
          if (payload === "ask") return { structural_type: "Question", payload: "Which colour?" };
          return report("Report");
        },
      },
      maintainer: { human: true, role: "maintainer", ...bids({ on: "Report", bid: "review" }) },
    },
    {
      deps: {
        ...{ limits, logs, repository: await openRepository(repository.path, hostEnv) },
        ...{ triggers: [Trigger.parse(trigger)], secretOf: async () => secret },
      },
    },
  );
  const { clan } = scene;
  const goal = await clan.postGoal("Write it", { metadata: { summary: "Write it", commit } });
  const made = await clan.made(goal, ({ type }) => type === "Report");
  const failed = await clan.postGoal("fail");
  const failure = await clan.made(failed, ({ structural_type }) => structural_type === "Failure");
  await clan.made(
    await clan.postGoal("ask"),
    ({ structural_type }) => structural_type === "Question",
  );
  ids = { goal, made, failure };
}, 120_000);

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  repository[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

/** Ids that exist, for addresses that want one. */
async function settings(): Promise<string> {
  const path = join(folder, "schemathesis.toml");
  const operations = [
    ["/goals/", ids.goal.id],
    ["/artefacts/", ids.made.id],
    ["/claims/", ids.made.claim_id],
  ].map(
    ([part, id]) =>
      `[[operations]]\ninclude-path-regex = "${part}\\\\{id"\nparameters = { "path.id" = "${id}" }\n`,
  );
  const hook = `[[operations]]
include-path = "/hooks/{name}"
headers = { "X-Gitlab-Token" = "${secret}" }
parameters = { "path.name" = "forge", "header.X-Gitlab-Event" = "Push Hook" }
`;
  await writeFile(path, [...operations, hook].join("\n"));
  return path;
}

/** Bun itself refuses a request whose line and headers have more than 16 KiB. */
async function refusals(): Promise<string> {
  const path = join(folder, "refusals.toml");
  const statuses = [
    "400",
    "401",
    "403",
    "404",
    "405",
    "408",
    "409",
    "413",
    "415",
    "421",
    "422",
    "429",
    "431",
    "5xx",
  ];
  await writeFile(
    path,
    `[checks]\nnegative_data_rejection.expected-statuses = ${JSON.stringify(statuses)}\n`,
  );
  return path;
}

async function run(...options: string[]): Promise<string> {
  const [, version] =
    /schemathesisVersion = "([^"]+)"/.exec(
      readFileSync(join(root, ".ci/setup/python.mjs"), "utf8"),
    ) ?? [];
  const program = join(root, `node_modules/.cache/schemathesis-${version}/bin/schemathesis`);
  if (!existsSync(program))
    throw new Error("schemathesis is not installed: `node .ci/setup.mjs --tests` installs it.");
  const child = Bun.spawn(
    [
      ...[program, ...options.slice(0, options.indexOf("--") === -1 ? 0 : options.indexOf("--"))],
      ...[
        "run",
        `${scene.url}/v1/openapi.json`,
        "--url",
        scene.url,
        "--header",
        `Authorization: Bearer ${scene.tokens.all}`,
      ],
      ...[
        "--checks",
        checks.join(","),
        "--max-time",
        String(seconds),
        "--no-shrink",
        "--seed",
        "1",
        "--request-timeout",
        "20",
      ],
      ...options.slice(options.indexOf("--") + 1),
    ],
    {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [output, problems, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? "" : `${output}\n${problems}`;
}

test("invented requests find no failure of the program and no answer that is not documented", async () => {
  expect(
    await run(
      "--config-file",
      await refusals(),
      "--",
      "--phases",
      "examples,coverage,fuzzing",
      "--mode",
      "all",
    ),
  ).toBe("");
  expect(scene.log.filter((line) => line.includes("A request has failed"))).toEqual([]);
}, 180_000);

nightly(
  "nor do requests about what exists",
  async () => {
    expect(
      await run(
        "--config-file",
        await settings(),
        "--",
        "--phases",
        "examples,fuzzing",
        "--mode",
        "positive",
      ),
    ).toBe("");
    // The document's own example of a delivery is one that a trigger takes.
    expect(
      scene.log.filter((line) => line.includes("A trigger has stated a goal")).length,
    ).toBeGreaterThan(0);
    expect(scene.log.filter((line) => line.includes("A request has failed"))).toEqual([]);
  },
  180_000,
);
