// The repository that the demo releases: the sample or a clone, with the release train in it.
import { appendFile, cp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { $ } from "bun";

const agents = resolve(import.meta.dir, "../agents");
/** The folders of agents that release together. */
export const train = [
  "changelog",
  "reviewer",
  "tester",
  "licences",
  "secrets",
  "packager",
  "release-train",
];

const owner = `
  # A person, who is asked about the commit when its reviewer has approved it.
  owner:
    human: true
    bids:
      - { on: CodeCommit, bid: review, after: [reviewer] }
`;

/**
 * The agents are committed, because agents see only what is committed; but the changelog does not
 * list that commit.
 */
export async function fillRepository(
  source: string | undefined,
  folder: string,
  hasOwner = false,
): Promise<void> {
  if (source === undefined) await $`${join(agents, "release-train/make-repository.sh")} ${folder}`;
  else await $`git clone --quiet --no-local ${source} ${folder}`;
  for (const name of train)
    await cp(join(agents, name), join(folder, "agents", name), { recursive: true });
  if (hasOwner) await appendFile(join(folder, "agents/release-train/sett.yml"), owner);
  await $`git add --force agents`.cwd(folder);
  const person = ["-c", "user.name=Sett demo", "-c", "user.email=demo@sett.invalid"];
  const message = ["-m", "Add the release train", "-m", "Changelog: skip"];
  await $`git ${person} commit --quiet --allow-empty ${message}`.cwd(folder);
}
