import { expect, test } from "bun:test";
import { hintOverHttp, suggestRequest } from "../../../../../apps/api/over-http.ts";
import { adviceForPeople } from "../../../../../apps/page/text/advice.ts";

test.each([
  ["`GET /v1/artefacts` lists the ids.", "The view Goals lists the ids."],
  ["`GET /v1/goals` lists the goals.", "The view Goals lists the goals."],
  [
    "`GET /v1/inquiries` lists what waits for a person.",
    "The view Inbox lists what waits for a person.",
  ],
  [
    "Its log: GET /v1/agents/orchestrator/logs",
    "Its log: the log of orchestrator in the view Clan",
  ],
  ["Resume it: POST /v1/resume", "Resume it: the button Resume at the top"],
  [
    "The orchestrator will act on it; do not ask again. See `GET /v1/instance`.",
    "The orchestrator will act on it; do not ask again. See the view Clan.",
  ],
  [
    "POST /v1/questions/7d1f0a2b/answer, or end the goal: POST /v1/goals/9f3a12b4/cancel",
    "The question in the view Inbox, or end the goal: the button Cancel of its goal",
  ],
  [
    "Ada was faster: see `GET /v1/artefacts/9f3a12b4`.",
    "Ada was faster: see the artefact 9f3a12b4 in its goal.",
  ],
  [
    'Say what is to be done: `text`: "Write the changelog"',
    'Say what is to be done: "Write the changelog"',
  ],
  ['Name the agent for which you speak: `for`: "lead"', "Name the agent for which you speak: lead"],
  ["Commit them (`git add -A && git commit`), or stash them (`git stash -u`).", undefined],
  ["Do the `bids` in sett.yml match the goal?", undefined],
])("of `%s` a person reads what the page has for it", (hint, expected) => {
  expect(adviceForPeople(hint)).toBe(expected ?? hint);
});

test.each([
  "`/v1/openapi.json` says what each address takes.",
  "Send a JSON object with `Content-Type: application/json`.",
  "A program sends its token: `Authorization: Bearer TOKEN`.",
  "Leave out `id`, or use a new `Idempotency-Key`, to post a new goal.",
  "Give `next` of the page before, or leave it out.",
])("what only a program can do is left out: %s", (hint) => {
  expect(adviceForPeople(hint)).toBeUndefined();
});

test("no request of the API is left in what a person reads", () => {
  const ids = ["9f3a12b4", "coder"];
  const commands = [
    "hoard",
    "questions",
    "status",
    "status --all",
    "resume",
    "forage --id 9f3a12b4",
  ].concat(
    ids.flatMap((id) => [
      `answer ${id} yes`,
      `cancel ${id}`,
      `logs ${id}`,
      `retry ${id}`,
      `unearth ${id}`,
      `watch --goal ${id}`,
    ]),
  );
  for (const command of commands)
    for (const hint of [`See \`${suggestRequest(command)}\`.`, `Next: ${suggestRequest(command)}`])
      expect([command, adviceForPeople(hintOverHttp(hint))]).toEqual([
        command,
        expect.not.stringMatching(/\/v1\/|`|POST|GET/),
      ]);
});
