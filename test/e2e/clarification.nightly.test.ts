// A question goes up three levels to a person and back, in real containers.
import { expect, setDefaultTimeout, test } from "bun:test";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Makes a `type` of its target; asked a question, it passes it on, and then the answer down. */
const link = (name: string, type: string, structural = "Standard") => `
work=$(cat)
answer=$(printf '%s' "$work" | jq -r '[.additional_context[] | select(.structural_type == "Answer").payload] | last // empty')
kind=$(printf '%s' "$work" | jq -r .target_artefact.structural_type)
if [ "$kind" = Question ] && [ -z "$answer" ]; then
  printf '%s' "$work" | jq '{structural_type: "Question", payload: (.target_artefact.payload + " says ${name}")}'
elif [ "$kind" = Question ]; then
  jq -n --arg answer "$answer" '{structural_type: "Answer", payload: $answer}'
elif [ ${name} = tester ] && [ -z "$answer" ]; then
  jq -n '{structural_type: "Question", payload: "Which version?"}'
else
  jq -n --arg answer "$answer" '{structural_type: "${structural}", artefact_type: "${type}", artefact_payload: $answer, summary: ""}'
fi`;

test("the question of a tester reaches a person by way of coder and planner, and the graph shows every hop", async () => {
  const on = (type: string) => `    bids:\n      - { on: ${type}, bid: exclusive }\n`;
  await using sett = await SettWorkspace.create({
    ...scriptAgent("planner", link("planner", "Plan")),
    ...scriptAgent("coder", link("coder", "Code")),
    ...scriptAgent("tester", link("tester", "End", "Terminal")),
    "sett.yml": settYml(
      { planner: on("GoalDefined"), coder: on("Plan"), tester: on("Code") },
      "clarification: tiered\n",
    ),
  });
  await sett.commit("Add a sett");
  await sett.up();
  const goal = await sett.forage("release it");
  const question = await waitFor(
    "the question to people",
    async () =>
      JSON.parse(await sett.need("questions", "--json"))[0] as
        | { id: string; text: string }
        | undefined,
    { everyMs: 200 },
  );
  expect(question.text).toBe("Which version? says coder says planner");
  await sett.need("answer", question.id, "1.2.0");
  const artefacts = await waitFor(
    "the end",
    async () => {
      const all = await sett.artefacts(goal);
      return all.some(({ type }) => type === "End") ? all : undefined;
    },
    { everyMs: 200 },
  );
  expect(artefacts.find(({ type }) => type === "End")?.payload).toBe("1.2.0");
  const made = artefacts.map(
    ({ structural_type, produced_by_role }) => `${structural_type} of ${produced_by_role}`,
  );
  expect(made.slice(3)).toEqual([
    "Question of tester",
    "Question of coder",
    "Question of planner",
    "Answer of user",
    "Answer of planner",
    "Answer of coder",
    "Terminal of tester",
  ]);
  const graph = await sett.need("graph", goal);
  expect(graph.match(/Question/g)).toHaveLength(3);
  expect(graph.match(/Answer/g)).toHaveLength(3);
});
