// A real PostgreSQL beside an agent, as its tests would have one.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import {
  makePostgresImage,
  postgresFolder,
  postgresImage,
} from "../support/docker/postgres-image.ts";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const serve = `initdb --pgdata /tmp/data --auth trust > /dev/null && exec postgres -D /tmp/data -k /tmp -h 127.0.0.1`;
/** A table that is there already would be refused. */
const tool = `
said=$(psql -h 127.0.0.1 -U postgres -At -c 'CREATE TABLE doors (name text)' -c "INSERT INTO doors VALUES ('wide') RETURNING name" 2>&1)
jq -n --arg said "$said" '{artefact_type: "Report", artefact_payload: $said, summary: ""}'
`;

let sett: SettWorkspace;

beforeAll(async () => {
  const user = await makePostgresImage();
  const path = `environment: { PATH: "${postgresFolder}:/usr/bin:/bin" }`;
  const service = (command: string, rest = "") =>
    `{ image: "${postgresImage}", user: "${user}", command: ${command}, ${path}${rest} }`;
  const ready = `, ready: ["${postgresFolder}/pg_isready", "-h", "127.0.0.1"]`;
  const agent = (name: string, goal: string, db: string) => `  ${name}:
    image: ${postgresImage}
    command: ["sh", "-c", ${JSON.stringify(tool)}]
    ${path}
    bids: [{ on: GoalDefined, bid: ${goal} }]
    services: { db: ${db} }
`;
  const sh = (script: string) => `["sh", "-c", ${JSON.stringify(script)}]`;
  sett = await SettWorkspace.create({
    "sett.yml": `version: '1.0'\nagents:\n${agent("tester", "claim", service(sh(serve), ready))}${agent("broken", "exclusive", service(sh("echo no disk; exit 4"), ready))}`,
  });
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
});

nightly(
  "each grant finds an empty database, and one that never begins is in the Failure",
  async () => {
    for (const text of ["one", "two"]) {
      const goal = await sett.forage(text);
      const made = await waitFor("the report and the failure", async () => {
        const found = await sett.artefacts(goal);
        return found.some(({ structural_type: kind }) => kind === "Failure") ? found : undefined;
      });
      const report = made.find(({ type }) => type === "Report");
      expect(report?.payload).toBe("CREATE TABLE\nwide\nINSERT 0 1");
      const failure = made.find(({ structural_type: kind }) => kind === "Failure");
      expect(failure?.payload).toContain("The service `db` has ended, with exit code 4.");
      expect(failure?.payload).toContain("It has printed: no disk");
    }
  },
);
