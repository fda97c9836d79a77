import { expect, test } from "bun:test";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn, validText } from "../../../support/config/config-file.ts";

const secrets =
  "secrets: { hook: { environment: HOOK } }\nservices: { api: { tokens: [{ name: a, secret: hook, may: [read] }] } }\n";
const host = { HOOK: "a secret of some length" };

async function read(lines: string) {
  await using made = await configFolder({
    "sett.yml": `${validText}${secrets}triggers:\n${lines}`,
  });
  const { config, warnings } = await readConfig(made.path, host);
  return {
    triggers: config.triggers,
    warnings: warnings
      .filter(({ path }) => !path.startsWith("secrets"))
      .map(({ path, sentence }) => `${path}: ${sentence}`),
  };
}
const mistakes = (lines: string) => mistakesIn(`${validText}${secrets}triggers:\n${lines}`, host);
const cron = (rest: string) => `  nightly: { cron: "0 3 * * *", goal: Sweep${rest} }\n`;
const hook = (rest: string, goal = "Review") =>
  `  pr: { webhook: { forge: github, secret: hook, ${rest} }, goal: "${goal}" }\n`;

test("each kind of trigger gets its defaults, in the order of the file", async () => {
  const { triggers, warnings } = await read(
    `${cron("")}${hook("events: [push]")}  release: { tag: "v*", goal: "Publish {{ tag }}" }\n`,
  );
  expect(triggers).toEqual([
    {
      kind: "cron",
      name: "nightly",
      cron: "0 3 * * *",
      time_zone: "UTC",
      missed: "once",
      goal: "Sweep",
    },
    {
      kind: "webhook",
      name: "pr",
      forge: "github",
      secret: "hook",
      events: ["push"],
      branches: [],
      people: [],
      goal: "Review",
    },
    { kind: "tag", name: "release", tag: "v*", goal: "Publish {{ tag }}" },
  ] as unknown as typeof triggers);
  expect(warnings).toEqual([]);
});

test("a trigger needs exactly one of the three, and a goal", async () => {
  expect(await mistakes("  a: { goal: x }\n")).toEqual([
    "sett.yml:9:3 triggers.a: needs one of `cron`, `webhook` and `tag`, which says when it states its goal",
  ]);
  expect(await mistakes('  a: { cron: "0 3 * * *", tag: "v*", goal: x }\n')).toEqual([
    "sett.yml:9:32 triggers.a.tag: cannot be combined with `cron`: keep one of the two",
  ]);
  expect(await mistakes('  a: { tag: "v*", missed: skip, time_zone: UTC }\n')).toEqual([
    expect.stringMatching(/^sett.yml:9:3 triggers.a.goal: is missing/),
  ]);
  expect(await mistakes('  a: { tag: "v*", missed: skip, time_zone: UTC, goal: " " }\n')).toEqual([
    "sett.yml:9:27 triggers.a.missed: needs `cron`: without it there are no times",
    "sett.yml:9:44 triggers.a.time_zone: needs `cron`: without it there are no times",
    "sett.yml:9:55 triggers.a.goal: must not be empty",
  ]);
  expect(await mistakes('  a: { tag: "v*", missed: skip, time_zone: UTC, goal: x }\n')).toEqual([
    "sett.yml:9:27 triggers.a.missed: needs `cron`: without it there are no times",
    "sett.yml:9:44 triggers.a.time_zone: needs `cron`: without it there are no times",
  ]);
  expect(await mistakes("  A_b: { tag: x, goal: x }\n")).toEqual([
    "sett.yml:9:3 triggers.A_b: must be lower-case letters, digits and inner hyphens",
  ]);
});

test("a wrong expression, an unknown time zone and an unknown policy have their line", async () => {
  expect(
    await mistakes(
      '  a: { cron: "0 25 * * *", time_zone: Europe/Berlim, missed: twice, goal: x }\n',
    ),
  ).toEqual([
    'sett.yml:9:14 triggers.a.cron: must be five fields: minute, hour, day of the month, month, day of the week, such as `"0 3 * * *"` (Invalid value for hour: 25)',
    "sett.yml:9:39 triggers.a.time_zone: is not a time zone that is known here: write one such as `Europe/Berlin`, or `UTC`",
    "sett.yml:9:62 triggers.a.missed: must be `once` or `skip`, not `twice`",
  ]);
  expect(await mistakes("  a: { cron: 5, goal: x }\n")).toEqual([
    'sett.yml:9:14 triggers.a.cron: must be five fields in quotes: `"0 3 * * *"` is each day at 03:00',
  ]);
  expect(await mistakes(cron(', time_zone: "+02:00"'))).toEqual([
    expect.stringMatching(/time_zone: is not a time zone/),
  ]);
});

test("a time that never comes is a warning", async () => {
  expect((await read('  a: { cron: "0 0 30 2 *", goal: x }\n')).warnings).toEqual([
    "triggers.a.cron: never comes: no date fits `0 0 30 2 *`",
  ]);
});

test("a variable in place of a secret's name is one mistake, which says where it goes", async () => {
  const file = hook("events: [push]").replace("secret: hook", "secret: $HOOK");
  expect(await mistakes(file)).toEqual([
    expect.stringContaining("`registry-token: { environment: HOOK }` takes its value"),
  ]);
});

test("an unknown event and an unknown secret are mistakes", async () => {
  expect(
    await mistakes(
      hook("events: [pull_requests.opened, push, merge_request, 'a b']").replace(
        "secret: hook",
        "secret: hok",
      ),
    ),
  ).toEqual([
    "sett.yml:9:43 triggers.pr.webhook.secret: `secrets` has no `hok`: did you mean `hook`?",
    "sett.yml:9:57 triggers.pr.webhook.events[0]: is no event of github that Sett knows: did you mean `pull_request`?",
    "sett.yml:9:85 triggers.pr.webhook.events[2]: is no event of github that Sett knows: `forge: gitlab` has it; known are `push`, `tag_push`, `pull_request`, `pull_request_review`, `pull_request_review_comment`, `issues`, `issue_comment`",
    "sett.yml:9:100 triggers.pr.webhook.events[3]: must be an event such as `push` or `pull_request.opened`",
  ]);
  expect(await mistakes(hook("events: [constructor]"))).toEqual([
    expect.stringMatching(/events\[0\]: is no event of github/),
  ]);
  expect(await mistakes(hook("events: []"))).toEqual([
    expect.stringMatching(/events: must not be empty/),
  ]);
});

test("an action that the forge does not have is a warning, and so is a comment of anyone", async () => {
  expect((await read(hook("events: [pull_request.opend, push.x]"))).warnings).toEqual([
    "triggers.pr.webhook.events[0]: names an action that Sett does not know of `pull_request`: did you mean `pull_request.opened`?",
    "triggers.pr.webhook.events[1]: names an action that Sett does not know of `push`: it has none",
  ]);
  expect((await read(hook("events: [issue_comment.created]"))).warnings).toEqual([
    "triggers.pr.webhook.events: lets every comment state a goal, also one that an agent writes: `comment: /sett` or `people: […]` says which",
  ]);
  for (const rest of ["comment: /sett", "people: [ada]"])
    expect((await read(hook(`events: [issue_comment.created], ${rest}`))).warnings).toEqual([]);
});

test("a word of another forge is said to be its own, and those that a forge sends are no finding", async () => {
  const found = async (forge: string, events: string) => {
    const { warnings } = await read(
      hook(`events: [${events}], people: [ada]`).replace("github", forge),
    );
    return warnings.map((line) =>
      line.replace(/^.*: names an action that Sett does not know /, ""),
    );
  };
  expect(await found("gitea", "issues.labeled, pull_request.ready_for_review")).toEqual([
    expect.stringMatching(/^of `issues`: `forge: github` has it; known are .*`label_updated`/),
    expect.stringMatching(/^of `pull_request`: `forge: github` has it; known are .*`synchronized`/),
  ]);
  expect(await found("github", "issues.label_updated, pull_request.synchronized")).toEqual([
    expect.stringMatching(/^of `issues`: `forge: gitea` has it; known are /),
    "of `pull_request`: did you mean `pull_request.synchronize`?",
  ]);
  const ofGitea = [
    ...["pull_request.synchronize", "pull_request.synchronized", "pull_request.label_cleared"],
    ...["pull_request_approved", "pull_request_rejected.reviewed", "pull_request_comment"],
    ...["issues.label_updated", "issue_comment.created", "push", "tag_push"],
  ];
  expect(await found("gitea", ofGitea.join())).toEqual([]);
  expect(await found("gitlab", "work_item.open, issue.update, note.create")).toEqual([]);
  expect(await mistakes(hook("events: [pull_request_approved]"))).toEqual([
    expect.stringContaining("is no event of github that Sett knows: `forge: gitea` has it; known"),
  ]);
  expect(await mistakes(hook("events: [note.create]").replace("github", "gitea"))).toEqual([
    expect.stringContaining("is no event of gitea that Sett knows: `forge: gitlab` has it; known"),
  ]);
});

test("what strangers can cause is a warning without people, and what only members can is none", async () => {
  const strangers = (subject: string) =>
    `triggers.pr.webhook.events: ${subject} everyone who may read the project state a goal, and pay with your budget: \`people: […]\` says who may`;
  expect((await read(hook("events: [issues, pull_request.opened, push]"))).warnings).toEqual([
    strangers("`issues`, `pull_request.opened` let"),
  ]);
  const gitlab = (events: string) => hook(`events: [${events}]`).replace("github", "gitlab");
  expect((await read(gitlab("merge_request.update"))).warnings).toEqual([
    strangers("`merge_request.update` lets"),
  ]);
  expect((await read(gitlab("note.create, issue.open"))).warnings).toEqual([
    expect.stringContaining("every comment"),
    strangers("`issue.open` lets"),
  ]);
  for (const events of [
    "issues.labeled, pull_request.labeled, push, tag_push",
    "pull_request.enqueued",
  ])
    expect((await read(hook(`events: [${events}]`))).warnings).toEqual([]);
  expect((await read(hook("events: [pull_request_review.approved]"))).warnings).toEqual([
    strangers("`pull_request_review.approved` lets"),
  ]);
  expect(
    (await read(hook("events: [pull_request_review.aproved], people: [ada]"))).warnings,
  ).toEqual([expect.stringContaining("did you mean `pull_request_review.approved`?")]);
  expect((await read(gitlab("merge_request.merge, merge_request.approved"))).warnings).toEqual([]);
  expect(
    (await read(hook("events: [issues, pull_request.opened], people: [ada]"))).warnings,
  ).toEqual([]);
});

test("beside secrets of agents, a trigger without people works on no code of a fork, which is a warning", async () => {
  const beside = (lines: string) => validText.replace(/^( +)command:/m, `$1${lines}\n$1command:`);
  const inFile = async (events: string, text = beside("secrets: [{ name: hook }]")) => {
    await using made = await configFolder({
      "sett.yml": `${text}${secrets}triggers:\n${hook(events)}`,
    });
    const { config, warnings } = await readConfig(made.path, host);
    return [
      config.triggers[0],
      warnings.map(({ sentence }) => sentence).filter((sentence) => sentence.includes("fork")),
    ];
  };
  const forks =
    "states no goal about code of a fork, because agents have secrets: `people: […]` says whose events let it run";
  expect(await inFile("events: [pull_request.labeled]")).toMatchObject([
    { guards_secrets: true },
    [forks],
  ]);
  expect(await inFile("events: [pull_request.labeled], people: [ada]")).toMatchObject([
    { guards_secrets: true },
    [],
  ]);
  expect(await inFile("events: [push]")).toMatchObject([{ guards_secrets: true }, []]);
  const prepared = beside(
    "workspace: { prepare: { run: npm ci, key: [package.json], secrets: [hook] } }",
  );
  expect(await inFile("events: [pull_request.labeled]", prepared)).toMatchObject([
    { guards_secrets: true },
    [forks],
  ]);
});

test("the text of a goal names only what its trigger has", async () => {
  const found = await mistakes(hook("events: [push]", "Review {{ titel }} {{ tag }} {{"));
  expect(found).toEqual([
    expect.stringMatching(
      /^sett.yml:9:\d+ triggers.pr.goal: has no value for `{{ titel }}`: known are `trigger`, `time`, `ev/,
    ),
    expect.stringMatching(
      /^sett.yml:9:\d+ triggers.pr.goal: has `{{` or `}}` without a name: write `{{ title }}`$/,
    ),
  ]);
  expect(await mistakes(cron("").replace("Sweep", '"{{ title }}"'))).toEqual([
    "sett.yml:9:39 triggers.nightly.goal: has no value for `{{ title }}`: known are `trigger`, `time`",
  ]);
});

test("a secret that only a webhook names is used", async () => {
  await using made = await configFolder({
    "sett.yml": `${validText}${secrets}triggers:\n${hook("events: [push]")}`,
  });
  expect((await readConfig(made.path, host)).warnings).toEqual([]);
});
