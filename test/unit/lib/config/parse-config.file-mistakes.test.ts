// One line for each kind of mistake of a file outside of its agents: what is written, and what is
// said about it.
import { describe, expect, test } from "bun:test";
import { mistakesIn, validText } from "../../../support/config/config-file.ts";

type Case = [title: string, text: string, lines: string[]];

const cases: Case[] = [
  [
    "an empty file lacks everything",
    "",
    ["sett.yml:1:1: is empty: `version` and `agents` are required"],
  ],
  [
    "a file of comments is empty",
    "# later\n",
    ["sett.yml:1:1: is empty: `version` and `agents` are required"],
  ],
  ["a file that is a text is no map", "hello\n", ["sett.yml:1:1: must be a map, not `hello`"]],
  [
    "a file that is a list is no map",
    "- version: '1.0'\n",
    ["sett.yml:1:1: must be a map, not a list"],
  ],
  [
    "what is required is named",
    "limits: {}\n",
    [
      "sett.yml:1:1 version: is missing: write `version: '1.0'`",
      "sett.yml:1:1 agents: is missing: it must be a map",
    ],
  ],
  [
    "a version without quotes is shown how to be written",
    `version: 1.0${validText.slice(14)}`,
    ["sett.yml:1:10 version: must be `'1.0'`, with the quotes"],
  ],
  [
    "another version is unknown",
    `version: '2'${validText.slice(14)}`,
    ["sett.yml:1:10 version: must be `'1.0'`, with the quotes"],
  ],
  [
    "a sett has at least one agent",
    "version: '1.0'\nagents: {}\n",
    ["sett.yml:2:1 agents: must name at least one agent"],
  ],
  [
    "limits have their kinds and ranges",
    `${validText}limits: { bid_deadline: 0s, review_rounds: -1, artefacts_per_goal: many, rounds: 1, context: 100 }\n`,
    [
      "sett.yml:6:25 limits.bid_deadline: must be at least `1ms`",
      "sett.yml:6:44 limits.review_rounds: must be at least 0",
      "sett.yml:6:68 limits.artefacts_per_goal: must be a number, not `many`",
      "sett.yml:6:74 limits.rounds: is unknown here; known are `review_rounds`, `artefacts_per_goal`, `workers`, `bid_deadline`, `context`, `output`, `shutdown`, `lease`, `budget`",
      "sett.yml:6:94 limits.context: must be at least `1K`",
    ],
  ],
  [
    "how long what has ended is kept is a number of days",
    `${validText}retention: { goals: 12h, transcripts: 0d, other_events: 3651d, forever: 1d }\n`,
    [
      "sett.yml:6:21 retention.goals: must be a number of days, such as `30d`",
      "sett.yml:6:39 retention.transcripts: must be at least `1d`",
      "sett.yml:6:57 retention.other_events: must be at most `3650d`",
      "sett.yml:6:64 retention.forever: is unknown here; known are `goals`, `transcripts`, `other_events`",
    ],
  ],
  [
    "a choice lists its words",
    `${validText}clarification: both\nconsensus: ful\n`,
    [
      "sett.yml:6:16 clarification: must be `human` or `tiered`, not `both`",
      "sett.yml:7:12 consensus: must be `full` or `first_bid`, not `ful`",
    ],
  ],
  [
    "services are two, with an image each",
    `${validText}services: { redis: { image: "a b" }, orchestrator: , postgres: {} }\n`,
    [
      "sett.yml:6:29 services.redis.image: must be an image such as `debian:bookworm-slim`",
      "sett.yml:6:38 services.orchestrator: is empty: it must be a map",
      "sett.yml:6:54 services.postgres: is unknown here; known are `api`, `orchestrator`, `packs`, `redis`, `reach`",
    ],
  ],
  [
    "a lease and the times of Redis are of use, and a port is one",
    `${validText}    health_port: 0\nlimits: { lease: 1s, shutdown: 30 }\nservices: { redis: { timeout: 5s, give_up: 1s }, orchestrator: { health_port: 70000 } }\n`,
    [
      "sett.yml:6:18 agents.a.health_port: must be at least 1",
      "sett.yml:7:18 limits.lease: must be at least `3s`",
      "sett.yml:7:32 limits.shutdown: needs a unit: `30s` for seconds, `30m` for minutes",
      "sett.yml:8:44 services.redis.give_up: must not be less than `timeout`",
      "sett.yml:8:79 services.orchestrator.health_port: must be at most 65535",
    ],
  ],
  [
    "names of agents are DNS labels, and what is under a bad one is checked too",
    "version: '1.0'\nagents:\n  My Agent: { image: x, command: [] }\n  user: { image: x, command: [run] }\n  redis: { image: x, command: [run] }\n",
    [
      'sett.yml:3:3 agents["My Agent"]: must be lower-case letters, digits and inner hyphens',
      'sett.yml:3:25 agents["My Agent"].command: must not be empty: its first entry is the program',
      "sett.yml:4:3 agents.user: is reserved: `user` means people, `orchestrator`, `gateway`, `egress`, `starter`, `keeper`, `recorder`, `notary`, `api`, `forge`, `log-reader`, `packs` and `redis` are parts of Sett",
      "sett.yml:5:3 agents.redis: is reserved: `user` means people, `orchestrator`, `gateway`, `egress`, `starter`, `keeper`, `recorder`, `notary`, `api`, `forge`, `log-reader`, `packs` and `redis` are parts of Sett",
    ],
  ],
  [
    "an agent is a map",
    "version: '1.0'\nagents:\n  a:\n  b: [x]\n  c: run\n",
    [
      "sett.yml:3:3 agents.a: is empty: it must be a map",
      "sett.yml:4:3 agents.b: must be a map, not a list",
      "sett.yml:5:6 agents.c: must be a map, not `run`",
    ],
  ],
  [
    "an agent needs an image and a command",
    "version: '1.0'\nagents:\n  a: {}\n",
    [
      'sett.yml:3:3 agents.a.command: is missing: write `command: ["/app/run.sh"]`, or a `model` and `prompts: { execution: … }`',
      "sett.yml:3:3 agents.a: needs an image: write `use: NAME` (`sett add --list` has the names), `build: ./folder`, `image: name:tag`, or `path: ./folder`",
    ],
  ],
];

describe("mistakes of the file", () => {
  for (const [title, text, lines] of cases) {
    test(title, async () => {
      expect(await mistakesIn(text)).toEqual(lines);
    });
  }
});
