// The command of an agent of the clan in a container: what its role answers, with a real commit,
// and after a look at a host that it reaches by the egress proxy.
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { $ } from "bun";
import { ToolInput } from "../../lib/model/tool-contract.ts";
import { answerOf } from "./clan.ts";

const [role = "", site] = process.argv.slice(2);
const input = ToolInput.parse(JSON.parse(await Bun.stdin.text()));
// A few are slow, so that some work is always under way when something breaks.
await Bun.sleep(Math.random() * (Math.random() < 0.2 ? 1_200 : 120));
if (site !== undefined) {
  const response = await fetch(site);
  if (!response.ok) throw new Error(`${site} answers ${response.status}: ${await response.text()}`);
}
const answer = answerOf(role, input);
const isCommit = typeof answer === "object" && JSON.stringify(answer).includes('"CodeCommit"');
console.log(JSON.stringify(isCommit ? { ...answer, artefact_payload: await commit() } : answer));

async function commit(): Promise<string> {
  const { id, version } = input.target_artefact;
  await writeFile(`${id}.md`, `# ${id}, from version ${version}\n`);
  await $`git add ${id}.md && git commit --quiet -m ${`Change ${id}`}`.quiet();
  return (await $`git rev-parse HEAD`.text()).trim();
}
