// One line for each kind of mistake of an agent: what is written, and what is said about it.
import { describe, expect, test } from "bun:test";
import { mistakesIn, validText } from "../../../support/config/config-file.ts";

type Case = [title: string, text: string, lines: string[]];

const byHand =
  "cannot be combined with `external: true`: Sett starts nothing for this agent, which takes part by hand";

const ofPerson =
  "cannot be combined with `human: true`: a person has only a `role`, `bids` that say what they review, `people` who may speak, `approvals` and `not_by`";

const absent = "nothing of an agent that is on demand runs when it would have to be asked";

const cases: Case[] = [
  [
    "an external agent has nothing that is started, nor what it would be started with, each named at its line",
    "    external: true\n    build: { context: . }\n    bid_command: [x]\n    replicas: 1\n    strategy: reuse\n    workspace: { mode: ro }\n" +
      "    environment: []\n    resources: {}\n    prompts: {}\n    timeout: 5m\n    bids: [{ on: A }]\n",
    [
      `sett.yml:4:12 agents.a.image: ${byHand}`,
      `sett.yml:5:5 agents.a.command: ${byHand}`,
      `sett.yml:7:5 agents.a.build: ${byHand}`,
      "sett.yml:7:5 agents.a.build.dockerfile: there is no file Dockerfile",
      `sett.yml:8:5 agents.a.bid_command: ${byHand}`,
      `sett.yml:9:15 agents.a.replicas: ${byHand}`,
      `sett.yml:10:15 agents.a.strategy: ${byHand}`,
      `sett.yml:11:5 agents.a.workspace: ${byHand}`,
      `sett.yml:12:5 agents.a.environment: ${byHand}`,
      `sett.yml:13:5 agents.a.resources: ${byHand}`,
      `sett.yml:14:5 agents.a.prompts: ${byHand}`,
      `sett.yml:15:14 agents.a.timeout: ${byHand}`,
      "sett.yml:16:12 agents.a.bids[0].bid: is missing: it must be `review`, `claim`, `exclusive` or `ignore`",
    ],
  ],
  [
    "an agent is external or not",
    "    external: yes\n",
    ["sett.yml:6:15 agents.a.external: must be `true` or `false`, not `yes`"],
  ],
  [
    "a person has no container, no settings of one, and is not external",
    "    human: true\n    external: true\n    on_missing_bid: wait\n    retries: 1\n    bids: [{ on: A, bid: review }]\n",
    [
      `sett.yml:4:12 agents.a.image: ${ofPerson}`,
      `sett.yml:5:5 agents.a.command: ${ofPerson}`,
      `sett.yml:7:15 agents.a.external: ${ofPerson}`,
      `sett.yml:8:21 agents.a.on_missing_bid: ${ofPerson}`,
      `sett.yml:9:14 agents.a.retries: ${ofPerson}`,
    ],
  ],
  [
    "a person does no work: each rule that says otherwise is named",
    "    human: true\n    bids: [{ on: A, bid: review }, { on: B, bid: exclusive }, { on: C, bid: ignore }, { on: D, bid: claim }]\n",
    [
      `sett.yml:4:12 agents.a.image: ${ofPerson}`,
      `sett.yml:5:5 agents.a.command: ${ofPerson}`,
      "sett.yml:7:50 agents.a.bids[1].bid: must be `review` or `ignore`: a person (`human: true`) reviews and does no work",
      "sett.yml:7:101 agents.a.bids[3].bid: must be `review` or `ignore`: a person (`human: true`) reviews and does no work",
    ],
  ],
  [
    "a person who never reviews would never be asked",
    "    human: true\n    bids: [{ on: A, bid: ignore }]\n",
    expect.arrayContaining([
      expect.stringMatching(/sett.yml:7:5 agents.a.bids: never says `review`/),
    ]),
  ],
  [
    "a person without rules would not, either",
    "    human: true\n",
    expect.arrayContaining([expect.stringMatching(/agents.a.bids: never says `review`/)]),
  ],
  [
    "a person whose word is misspelt is asked for the word alone",
    "    human: true\n    bids: [{ on: A, bid: Review }]\n",
    [
      `sett.yml:4:12 agents.a.image: ${ofPerson}`,
      `sett.yml:5:5 agents.a.command: ${ofPerson}`,
      "sett.yml:7:26 agents.a.bids[0].bid: must be `review`, `claim`, `exclusive` or `ignore`, not `Review`",
    ],
  ],
  [
    "an unknown key is answered with the nearest",
    "    comand: [x]\n",
    ["sett.yml:6:5 agents.a.comand: is unknown here: did you mean `command`?"],
  ],
  [
    "`build` and `image` exclude each other",
    "    build: { context: . }\n",
    expect.arrayContaining([
      "sett.yml:4:12 agents.a.image: cannot be combined with `build`: keep one of the two",
    ]),
  ],
  [
    "a build has a folder",
    "    build: {}\n",
    expect.arrayContaining([
      "sett.yml:6:5 agents.a.build.context: is missing: it must be the folder with the Dockerfile",
    ]),
  ],
  [
    "a build of another kind is refused",
    "    build: 5\n",
    expect.arrayContaining([
      "sett.yml:6:12 agents.a.build: must be a map with `context`, or a folder",
    ]),
  ],
  [
    "a command is a list of texts",
    "    bid_command: run me\n    role: 5\n",
    [
      'sett.yml:6:18 agents.a.bid_command: must be a list: `["/app/run.sh"]`, or `["sh", "-c", "…"]` for a shell',
      "sett.yml:7:11 agents.a.role: must be text: put `5` in quotes",
    ],
  ],
  [
    "each word of a command is checked",
    '    bid_command: ["", 80, null, "a\\0b"]\n',
    [
      "sett.yml:6:23 agents.a.bid_command[1]: must be text: put `80` in quotes",
      "sett.yml:6:27 agents.a.bid_command[2]: is empty: it must be text",
      "sett.yml:6:33 agents.a.bid_command[3]: must not contain a NUL character",
    ],
  ],
  [
    "a command names a program",
    '    bid_command: [""]\n',
    ["sett.yml:6:19 agents.a.bid_command[0]: must name a program"],
  ],
  [
    "a command is not empty",
    "    bid_command: []\n",
    ["sett.yml:6:5 agents.a.bid_command: must not be empty: its first entry is the program"],
  ],
  [
    "rules have their keys and words",
    "    bids:\n      - { on: 5, bid: maybe }\n      - on: A\n      - { on: A, form: b, bid: claim }\n      - { on: A, bid: parallel }\n",
    [
      "sett.yml:7:15 agents.a.bids[0].on: must be text: put `5` in quotes",
      "sett.yml:7:23 agents.a.bids[0].bid: must be `review`, `claim`, `exclusive` or `ignore`, not `maybe`",
      "sett.yml:8:9 agents.a.bids[1].bid: is missing: it must be `review`, `claim`, `exclusive` or `ignore`",
      "sett.yml:9:18 agents.a.bids[2].form: is unknown here: did you mean `from`?",
      "sett.yml:10:23 agents.a.bids[3].bid: has no `parallel`: for the parallel phase write `claim`",
    ],
  ],
  [
    "rules are a list",
    "    bids: { on: A, bid: claim }\n",
    ["sett.yml:6:5 agents.a.bids: must be a list, not a map"],
  ],
  [
    "a list left empty is no list",
    "    bids:\n",
    ["sett.yml:6:5 agents.a.bids: is empty: it must be a list"],
  ],
  [
    "what is prepared lies below fresh containers",
    "    strategy: reuse\n    workspace: { prepare: { run: npm ci, key: [a], secrets: [npm] } }\n",
    [
      "sett.yml:7:18 agents.a.workspace.prepare: cannot be combined with `strategy: reuse`: it lies below the workspace of each new container. Leave `strategy` out",
      "sett.yml:7:62 agents.a.workspace.prepare.secrets[0]: `secrets` has no `npm`: the file needs `secrets: { npm: { file: … } }`, which says where it comes from",
    ],
  ],
  [
    "what is prepared has a command and a key",
    "    strategy: fresh_per_call\n    workspace: { prepare: { network: { egress: [example.org] } } }\n",
    [
      "sett.yml:7:18 agents.a.workspace.prepare.run: is missing: it must be text",
      "sett.yml:7:18 agents.a.workspace.prepare.key: is missing: it must be a list",
    ],
  ],
  [
    "an empty command prepares nothing, and a key is in the repository",
    "    strategy: fresh_per_call\n    workspace: { prepare: { run: ' ', key: [../a, /b, 'c//d'] } }\n",
    [
      "sett.yml:7:34 agents.a.workspace.prepare.run: must not be empty: it is a line for a shell, such as `npm ci`",
      ...[45, 51, 55].map(
        (column, index) =>
          `sett.yml:7:${column} agents.a.workspace.prepare.key[${index}]: must be the path of a file or folder in the repository, such as \`package-lock.json\``,
      ),
    ],
  ],
  [
    "an agent has none or one at rest, and how many it may have is a number",
    "    replicas: { min: 2, max: 101 }\n",
    [
      "sett.yml:6:22 agents.a.replicas.min: must be 0 or 1: more come when there is work for them",
      "sett.yml:6:30 agents.a.replicas.max: must be at most 100",
    ],
  ],
  [
    "an agent that is on demand has nothing that could be asked for its bids",
    '    on_demand: true\n    bid_command: ["/bid"]\n',
    [
      `sett.yml:7:5 agents.a.bid_command: cannot be combined with \`on_demand\` or \`min: 0\`: ${absent}`,
    ],
  ],
  [
    "so it has rules, also where its least number says it",
    "    replicas: { min: 0, max: 3 }\n",
    [
      `sett.yml:3:3 agents.a.bids: must have a rule: ${absent}: \`- { on: GoalDefined, bid: exclusive }\``,
    ],
  ],
  [
    "what is on demand has none at rest",
    "    on_demand: true\n    replicas: { min: 1, max: 3 }\n    bids: [{ on: A, bid: claim }]\n",
    ["sett.yml:7:22 agents.a.replicas.min: is 1, which cannot be combined with `on_demand: true`"],
  ],
  [
    "only a worker that lasts waits for more work, and it keeps no files",
    "    idle: 500ms\n    workspace: { keep: true }\n    replicas: 2\n",
    [
      "sett.yml:6:11 agents.a.idle: must be at least `1s`",
      "sett.yml:7:24 agents.a.workspace.keep: cannot be combined with `on_demand` or several `replicas`: their containers come and go",
    ],
  ],
  [
    "where a worker has one grant, it waits for no other",
    "    idle: 5m\n",
    [
      "sett.yml:6:11 agents.a.idle: needs `strategy: reuse` with `on_demand: true` or several `replicas`: no other worker waits for more work",
    ],
  ],
  [
    "services beside an agent have names, images, users by number and bounds",
    "    services: { Db: { image: a:1 }, db: { user: postgres, ready: pg_isready, timeout: 20m, resources: { limits: { pids: 1 } } } }\n",
    [
      "sett.yml:6:17 agents.a.services.Db: must be a service's name: at most 32 small letters, digits and `-`, beginning with a letter, such as `db`",
      "sett.yml:6:37 agents.a.services.db.image: is missing: it must be text",
      "sett.yml:6:49 agents.a.services.db.user: must be a user by number, such as `'999'` or `'999:999'`",
      'sett.yml:6:66 agents.a.services.db.ready: must be a list: `["/app/run.sh"]`, or `["sh", "-c", "…"]` for a shell',
      "sett.yml:6:87 agents.a.services.db.timeout: must be at most `10m`",
      "sett.yml:6:121 agents.a.services.db.resources.limits.pids: must be at least 16: a service and its programs need some",
    ],
  ],
  [
    "services come and go with the container beside which they run",
    "    strategy: reuse\n    services: { db: { image: a:1 } }\n",
    [
      "sett.yml:7:5 agents.a.services: cannot be combined with `strategy: reuse`, unless the agent is `on_demand: true`: leave `strategy` out for services that are new for each grant",
    ],
  ],
  [
    "fresh containers keep nothing",
    "    strategy: fresh_per_call\n    workspace: { keep: true }\n",
    [
      "sett.yml:7:24 agents.a.workspace.keep: cannot be combined with `prepare` or `strategy: fresh_per_call`, where each grant has a working copy of its own",
    ],
  ],
  [
    "the part of the repository is a list of paths from its top",
    `    workspace: { paths: ["/a", "../b", "a//b", "./", "", "!a", "a\\\\b", "a\\tb", ".Git/x", 1] }\n`,
    [
      "sett.yml:6:26 agents.a.workspace.paths[0]: must not begin with `/`: it counts from the top of the repository as it is",
      ...[1, 2, 3].map(
        (index) =>
          `sett.yml:6:${[0, 32, 40, 48][index]} agents.a.workspace.paths[${index}]: must not have \`.\`, \`..\` or nothing for a folder: without \`paths\` the agent gets all files`,
      ),
      "sett.yml:6:54 agents.a.workspace.paths[4]: must not be empty",
      "sett.yml:6:58 agents.a.workspace.paths[5]: must not begin with `!`: list what the agent works in, all else is left out",
      "sett.yml:6:64 agents.a.workspace.paths[6]: must not have `\\`: folders end with `/`, and all characters but `*` and `?` mean themselves",
      "sett.yml:6:72 agents.a.workspace.paths[7]: must not have control characters",
      "sett.yml:6:80 agents.a.workspace.paths[8]: must not name `.git`, which is in no commit",
      'sett.yml:6:90 agents.a.workspace.paths[9]: must be text, such as "services/door/"',
    ],
  ],
  [
    "a part of the repository is no text, and not empty",
    "    workspace: { paths: services/door/ }\n",
    ['sett.yml:6:25 agents.a.workspace.paths: must be a list: `["services/door/", "*.md"]`'],
  ],
  [
    "a part of the repository has a path",
    "    workspace: { paths: [] }\n",
    [
      "sett.yml:6:18 agents.a.workspace.paths: must not be empty: without `paths` the agent gets all files",
    ],
  ],
  [
    "the cub needs some processes and files itself",
    "    resources: { limits: { pids: 5, files: 5 } }\n",
    [
      "sett.yml:6:34 agents.a.resources.limits.pids: must be at least 16: a script and its programs need some",
      "sett.yml:6:44 agents.a.resources.limits.files: must be at least 256: the cub needs some itself",
    ],
  ],
  [
    "a combination is judged even beside other mistakes",
    "    idle: 5m\n    retries: 1.5\n",
    [
      "sett.yml:6:11 agents.a.idle: needs `strategy: reuse` with `on_demand: true` or several `replicas`: no other worker waits for more work",
      "sett.yml:7:14 agents.a.retries: must be a whole number, not `1.5`",
    ],
  ],
  [
    "numbers have ranges",
    "    replicas: 0\n    retries: 101\n",
    [
      "sett.yml:6:15 agents.a.replicas: must be at least 1",
      "sett.yml:7:14 agents.a.retries: must be at most 100",
    ],
  ],
  [
    "a number without a unit is no duration",
    "    timeout: 300\n",
    ["sett.yml:6:14 agents.a.timeout: needs a unit: `300s` for seconds, `300m` for minutes"],
  ],
  [
    "a duration has known units",
    "    timeout: 5 min\n",
    ["sett.yml:6:14 agents.a.timeout: must be a duration such as `30s`, `5m`, `500ms` or `1h30m`"],
  ],
  [
    "a duration ends within a week",
    "    timeout: 200h\n",
    ["sett.yml:6:14 agents.a.timeout: must be at most `7d`"],
  ],
  [
    "a workspace is `ro` or `rw`",
    "    workspace: { mode: wr }\n",
    ["sett.yml:6:24 agents.a.workspace.mode: must be `none`, `ro` or `rw`, not `wr`"],
  ],
  [
    "a role is one word for people's eyes",
    "    role: 'a*'\n",
    [
      "sett.yml:6:11 agents.a.role: must be a word without `*`, spaces at its ends or control characters",
    ],
  ],
  [
    "the role of people is taken",
    "    role: user\n",
    [
      "sett.yml:6:11 agents.a.role: is reserved: `user` means people, `orchestrator`, `gateway`, `egress`, `starter`, `keeper`, `recorder`, `notary`, `api`, `forge`, `log-reader`, `packs` and `redis` are parts of Sett",
    ],
  ],
  [
    "resources have sizes",
    "    resources:\n      limits: { cpus: half, memory: 5 }\n      reservations: { cpus: 0, memory: 1.5 }\n",
    [
      "sett.yml:7:23 agents.a.resources.limits.cpus: must be a number of processors such as `'0.50'` or `2`",
      "sett.yml:7:37 agents.a.resources.limits.memory: must be at least `6M`, the minimum that Docker accepts",
      "sett.yml:8:29 agents.a.resources.reservations.cpus: must be between 0.01 and 1024 processors",
      "sett.yml:8:40 agents.a.resources.reservations.memory: must be a size such as `512M` or `1G`, or a number of bytes",
    ],
  ],
  [
    "nothing is reserved beyond its limit",
    "    resources:\n      limits: { cpus: '0.5', memory: 512M }\n      reservations: { cpus: 1, memory: 1G }\n",
    [
      "sett.yml:8:29 agents.a.resources.reservations.cpus: must not be more than `limits.cpus`",
      "sett.yml:8:40 agents.a.resources.reservations.memory: must not be more than `limits.memory`",
    ],
  ],
  [
    "an agent without files of the repository has no use for what is about them",
    "    workspace: { mode: none, keep: true, paths: [src/] }\n",
    [
      "sett.yml:6:36 agents.a.workspace.keep: cannot be combined with `mode: none`: the agent sees no file of the repository",
      "sett.yml:6:42 agents.a.workspace.paths: cannot be combined with `mode: none`: the agent sees no file of the repository",
    ],
  ],
  [
    "prompts are two",
    "    prompts: { clam: x }\n",
    ["sett.yml:6:16 agents.a.prompts.clam: is unknown here: did you mean `claim`?"],
  ],
];

describe("mistakes of an agent", () => {
  for (const [title, text, lines] of cases) {
    test(title, async () => {
      expect(await mistakesIn(validText + text)).toEqual(lines);
    });
  }
});
