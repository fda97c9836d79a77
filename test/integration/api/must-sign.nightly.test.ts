// Where people have to sign, no token of the API decides: over HTTP, through an assistant, or in a
// call of the blackboard. Who signs works through the API as before.
import { expect } from "bun:test";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { openRepository } from "../../../apps/api/repository.ts";
import { ApiScene, textAt } from "../../support/api/api-scene.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { hostEnv, sampleRepository } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

nightly(
  "where people have to sign, a token alone posts no goal, answers nothing and approves nothing",
  async () => {
    using here = sampleRepository();
    const key = join(here.root, "key");
    const made = Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]);
    expect(made.exitCode).toBe(0);
    const signing = {
      ...{ signers: `all ${await Bun.file(`${key}.pub`).text()}`, required: true as const },
      people: [{ name: "all" }, { name: "approver" }],
    };
    await using scene = await ApiScene.start(
      {
        coder: {
          behaviour: {
            bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
            work: ({ payload }) =>
              payload.endsWith("?")
                ? { structural_type: "Question", type: "Question", payload }
                : { type: "Report", payload: "Done" },
          },
        },
        lead: { human: true, bids: [{ on: "Report", bid: "review" }], signing },
      },
      { deps: { repository: await openRepository(here.path, hostEnv) } },
    );
    const { clan } = scene;
    expect((await scene.get("/v1/instance")).body).toMatchObject({ signatures_required: true });
    const report = await clan.made(await clan.postGoal("Report"), ({ type }) => type === "Report");
    const question = await clan.made(
      await clan.postGoal("Which?"),
      ({ type }) => type === "Question",
    );
    await waitFor("both to wait for a person", async () => {
      const { body } = await scene.get("/v1/inquiries");
      return (body as { items: unknown[] }).items.length === 2;
    });

    const refused = async (path: string, body: object, command: string) => {
      const answer = await scene.post(path, body);
      expect(answer).toMatchObject({ status: 409, body: { code: "request-refused" } });
      expect(textAt(answer, "detail")).toContain("needs the signature of a person");
      expect(JSON.stringify(answer.body)).toContain(JSON.stringify(command).slice(1, -1));
    };
    const [id, asked] = [report.id.slice(0, 8), question.id.slice(0, 8)];
    await refused("/v1/goals", { text: "More" }, 'sett forage --goal "…" --sign');
    await refused(
      `/v1/questions/${question.id}/answer`,
      { text: "That" },
      `sett answer ${asked} "…" --sign`,
    );
    await refused(`/v1/artefacts/${report.id}/approve`, {}, `sett approve ${id} --for lead --sign`);
    await refused(
      `/v1/artefacts/${report.id}/reject`,
      { reason: "No" },
      `sett reject ${id} --for lead --reason "…" --sign`,
    );

    const client = new Client({ name: "far-editor", version: "3" });
    const headers = { authorization: `Bearer ${scene.tokens.all}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${scene.url}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport as never);
    const called = await client.callTool({ name: "approve", arguments: { artefact: report.id } });
    expect(called).toMatchObject({ isError: true });
    expect(JSON.stringify(called)).toContain(`sett approve ${id} --for lead --sign`);
    await client.close();

    const env = { SETT_API: scene.url, SETT_API_TOKEN: scene.tokens.all };
    const sett = (...words: string[]) => runSett(words, { cwd: here.path, env });
    const unsigned = await sett("approve", report.id);
    expect(unsigned).toMatchObject({ code: 1, err: expect.stringContaining("--for lead --sign") });
    const written = { id: crypto.randomUUID(), structural_type: "Answer", type: "Answer" };
    const direct = { ...question, ...written, logical_id: written.id, version: 1 };
    const forged = { ...direct, source_artefacts: [question.id], payload: "That" };
    const stored = await scene.post("/v1/board/answerQuestion", [forged, "person:all"]);
    expect(stored.status).toBe(409);
    expect(await clan.board.answersOf([question.id])).toEqual([undefined]);

    const signed = await sett("approve", report.id, "--sign-with", key);
    expect({ code: signed.code, err: signed.err }).toMatchObject({ code: 0 });
    const review = await clan.board.readArtefact(signed.out.trim() as never);
    expect(review?.metadata).toHaveProperty("signature");
  },
  600_000,
);
