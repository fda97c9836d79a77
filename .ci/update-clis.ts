// Brings the coding CLIs of agents/ to their newest versions: `just update-clis`, or with names
// those alone. It writes their lock files, and the versions into the page about them. What has
// changed is then tried by test/e2e/ready-agents.nightly.test.ts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const agents = join(root, "agents");
const page = join(root, "docs/agents/coding-clis.md");

type Named = Partial<Record<"dependencies" | "optionalDependencies", Record<string, string>>>;

const ofNpm = await namesOf("*/package.json");
const ofPyPi = await namesOf("*/requirements.in");
const known = [...ofNpm, ...ofPyPi];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0)
  reportFailure(`There is no coding CLI ${unknown.join(", ")}: use ${known.join(", ")}.`);

const tools = await mkdtemp(join(tmpdir(), "sett-uv-"));
try {
  for (const name of wanted) {
    const update = ofNpm.includes(name) ? updateFromNpm : updateFromPyPi;
    await noteVersion(name, await update(join(agents, name)));
  }
} finally {
  await rm(tools, { recursive: true });
}

async function namesOf(glob: string): Promise<string[]> {
  const found = await Array.fromAsync(new Bun.Glob(glob).scan({ cwd: agents }));
  return found.map((path) => dirname(path)).sort();
}

/** Returns the version. One CLI may be several packages of the same version. */
async function updateFromNpm(folder: string): Promise<string> {
  const file = join(folder, "package.json");
  const content: Named = await Bun.file(file).json();
  const first = Object.keys({ ...content.dependencies, ...content.optionalDependencies })[0] ?? "";
  const version = (await $`npm view ${first} version`.text()).trim();
  for (const list of [content.dependencies, content.optionalDependencies])
    for (const name of Object.keys(list ?? {})) Object.assign(list ?? {}, { [name]: version });
  await Bun.write(file, `${JSON.stringify(content, undefined, 2)}\n`);
  await rm(join(folder, "package-lock.json"), { force: true });
  // Where each package comes from is the business of who installs it.
  await $`npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund`
    .cwd(folder)
    .quiet();
  return version;
}

/** Returns the version. The Python is Debian's, in which the CLI runs. */
async function updateFromPyPi(folder: string): Promise<string> {
  const uv = join(tools, "bin/uv");
  if (!(await Bun.file(uv).exists()))
    await $`python3 -m venv ${tools} && ${tools}/bin/pip install --quiet uv`.quiet();
  const form = ["--universal", "--python-version=3.11", "--only-binary=:all:", "--generate-hashes"];
  const plain = ["--quiet", "--no-header", "--no-annotate"];
  const to = join(folder, "requirements.txt");
  await rm(to, { force: true });
  await $`${uv} pip compile ${form} ${plain} requirements.in --output-file ${to}`
    .cwd(folder)
    .quiet();
  const project = (await Bun.file(join(folder, "requirements.in")).text()).trim();
  const [, version] = new RegExp(`^${project}==(\\S+)`, "m").exec(await Bun.file(to).text()) ?? [];
  if (version === undefined) throw new Error(`${to} does not name ${project}.`);
  return version;
}

async function noteVersion(name: string, version: string): Promise<void> {
  const before = await Bun.file(page).text();
  const row = new RegExp(`^(\\| \`${name}\` \\| )(\\S+)`, "m");
  console.log(`${name}: ${row.exec(before)?.[2]} → ${version}`);
  await Bun.write(page, before.replace(row, `$1${version}`));
}
