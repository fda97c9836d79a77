// Shows what an agent is started with: at the limit it works, in a container and as a process, and
// above it is refused in a sentence.
import { expect, setDefaultTimeout, test } from "bun:test";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const wants = "    bids: [{ on: GoalDefined, bid: exclusive }]\n";
/** Says how long its variables are. */
const counter = `echo '{"structural_type":"Terminal","artefact_type":"Counted","artefact_payload":"'$(env | wc -c)'","summary":"Counted"}'`;

/** So many variables of 60 000 bytes, and one of `padding`. */
function environment(count: number, padding: number): string {
  const names = Array.from({ length: count }, (_, at) => `V${at}: "\${BIG}"`);
  return `    environment: { ${names.join(", ")}, PAD: "${"p".repeat(padding)}" }\n`;
}

const failed = "Failure";

async function answerOf(sett: SettWorkspace, wanted: string) {
  const goal = await sett.forage("Do it");
  const find = async () =>
    (await sett.artefacts(goal)).find(({ type, structural_type }) =>
      [wanted, failed].includes(structural_type === "Failure" ? failed : type),
    );
  const answer = await waitFor(`the ${wanted}`, find, { everyMs: 200 });
  expect(answer).toMatchObject({ type: wanted });
  return answer;
}

for (const [title, ...words] of [["in a container"], ["as a process", "--runtime", "process"]]) {
  test(`${title} an agent works with as much as Linux starts, and one byte more is refused by validate or up`, async () => {
    await using sett = await SettWorkspace.create(scriptAgent("counter", counter));
    sett.env = { BIG: "x".repeat(60_000) };
    const write = async (count: number, padding: number) => {
      await sett.write({
        "sett.yml": settYml({ counter: `${wants}${environment(count, padding)}` }),
      });
      await sett.commit(`${count} and ${padding}`);
    };
    await write(40, 1);
    const validated = await sett.sett("validate");
    expect(validated.code).toBe(2);
    expect(validated.err.replace(/\s+/g, " ")).toMatch(
      /agents\.counter\.environment: the variables, prompts and command of `counter` are 24\d{5} bytes together, and Linux starts no program with more than 2064384/,
    );
    // Beside what the file says the image and Sett itself have some.
    await write(34, 23_700);
    expect((await sett.sett("validate")).code).toBe(0);
    const refused = await sett.sett("up", "--name", sett.name, ...words);
    expect(refused.code).toBe(2);
    const [, bytes] =
      /of `counter` are (\d+) bytes together/.exec(refused.err.replace(/\s+/g, " ")) ?? [];
    const over = Number(bytes) - 2_064_384;
    expect(over).toBeGreaterThan(0);
    await write(34, 23_700 - over);
    await sett.need("up", "--name", sett.name, ...words);
    const counted = await answerOf(sett, "Counted");
    expect(Number(counted.payload)).toBeGreaterThan(34 * 60_000);
  });

  test(`${title} workers of an agent are started with more than one variable can have`, async () => {
    await using sett = await SettWorkspace.create({
      ...scriptAgent("counter", counter),
      "sett.yml": settYml({
        counter: `${wants}    strategy: fresh_per_call\n    replicas: 2\n${environment(5, 1)}`,
      }),
    });
    sett.env = { BIG: "x".repeat(60_000) };
    await sett.need("up", "--name", sett.name, ...words);
    const counted = await answerOf(sett, "Counted");
    expect(Number(counted.payload)).toBeGreaterThan(5 * 60_000);
  });
}

test("a prompt of 300 KiB comes from a file, and the model reads all of it", async () => {
  await using model = scriptedModel(
    "openai",
    [{ call: [["finish", { type: "Answer", payload: "Read", summary: "Read" }]] }],
    "127.0.0.1",
  );
  const prompt = `Begin.\n${"Grow a garden with é.\n".repeat(14_000)}The end.`;
  await using sett = await SettWorkspace.create({
    "prompts/work.md": prompt,
    "sett.yml": [
      "version: '1.0'",
      "models:",
      `  local: { provider: openai, base_url: "http://127.0.0.1:${model.port}/v1", model: m, price: { input: 0, output: 0 } }`,
      "agents:",
      "  gardener:",
      "    image: machine",
      "    model: local",
      "    prompts: { execution: { file: ./prompts/work.md } }",
      "    bids: [{ on: GoalDefined, bid: exclusive }]",
      "",
    ].join("\n"),
  });
  await sett.need("up", "--name", sett.name, "--runtime", "process");
  await answerOf(sett, "Answer");
  expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain(
    JSON.stringify(prompt).slice(1, -1),
  );
  await sett.write({ "prompts/work.md": `${prompt} Again.` });
  await sett.commit("Another prompt");
  expect(await sett.need("up", "--name", sett.name, "--runtime", "process")).toContain(
    "replaced gardener",
  );
});
