// Sett's own agent packages: their folders in `agents`, without a change. One row for each.
import { parse, stringify } from "yaml";
import aiderAgent from "../../agents/aider/agent.yml" with { type: "text" };
import aiderScript from "../../agents/aider/aider.sh" with { type: "text" };
import aiderDockerfile from "../../agents/aider/Dockerfile" with { type: "text" };
import aiderNotCommitted from "../../agents/aider/not-committed" with { type: "text" };
import aiderRequirements from "../../agents/aider/requirements.txt" with { type: "text" };
import claudeAgent from "../../agents/claude-code/agent.yml" with { type: "text" };
import claudeScript from "../../agents/claude-code/claude-code.sh" with { type: "text" };
import claudeDockerfile from "../../agents/claude-code/Dockerfile" with { type: "text" };
import claudePackage from "../../agents/claude-code/package.json";
import claudeLock from "../../agents/claude-code/package-lock.json";
import codexAgent from "../../agents/codex/agent.yml" with { type: "text" };
import codexScript from "../../agents/codex/codex.sh" with { type: "text" };
import codexDockerfile from "../../agents/codex/Dockerfile" with { type: "text" };
import codexPackage from "../../agents/codex/package.json";
import codexLock from "../../agents/codex/package-lock.json";
import coderDockerfile from "../../agents/llm-coder/Dockerfile" with { type: "text" };
import reviewerDockerfile from "../../agents/llm-reviewer/Dockerfile" with { type: "text" };
import miniAgent from "../../agents/mini-swe-agent/agent.yml" with { type: "text" };
import miniDockerfile from "../../agents/mini-swe-agent/Dockerfile" with { type: "text" };
import miniScript from "../../agents/mini-swe-agent/mini-swe-agent.sh" with { type: "text" };
import miniRemarks from "../../agents/mini-swe-agent/remarks.py" with { type: "text" };
import miniRequirements from "../../agents/mini-swe-agent/requirements.txt" with { type: "text" };
import opencodeAgent from "../../agents/opencode/agent.yml" with { type: "text" };
import opencodeDockerfile from "../../agents/opencode/Dockerfile" with { type: "text" };
import opencodeSettings from "../../agents/opencode/opencode.json";
import opencodeScript from "../../agents/opencode/opencode.sh" with { type: "text" };
import opencodePackage from "../../agents/opencode/package.json";
import opencodeLock from "../../agents/opencode/package-lock.json";
import opencodeRemarks from "../../agents/opencode/remarks.js" with { type: "text" };
import piAgent from "../../agents/pi/agent.yml" with { type: "text" };
import piDockerfile from "../../agents/pi/Dockerfile" with { type: "text" };
import piPackage from "../../agents/pi/package.json";
import piLock from "../../agents/pi/package-lock.json";
import piScript from "../../agents/pi/pi.sh" with { type: "text" };
import piRemarks from "../../agents/pi/remarks.js" with { type: "text" };
import qwenAgent from "../../agents/qwen-code/agent.yml" with { type: "text" };
import qwenDockerfile from "../../agents/qwen-code/Dockerfile" with { type: "text" };
import qwenPackage from "../../agents/qwen-code/package.json";
import qwenLock from "../../agents/qwen-code/package-lock.json";
import qwenScript from "../../agents/qwen-code/qwen-code.sh" with { type: "text" };
import shellAgent from "../../agents/shell/agent.yml" with { type: "text" };
import shellDockerfile from "../../agents/shell/Dockerfile" with { type: "text" };
import shellScript from "../../agents/shell/run.sh" with { type: "text" };
import testerAgent from "../../agents/tester/agent.yml" with { type: "text" };
import testerDockerfile from "../../agents/tester/Dockerfile" with { type: "text" };
import testerScript from "../../agents/tester/run.sh" with { type: "text" };
import { nearestWord } from "./nearest-word.ts";
import llmSettYml from "./templates/sett-llm.yml" with { type: "text" };

/** `path` is relative to the package's folder. */
export type PackageContent = { path: string; content: string; mode: number };

const plain = (path: string, content: string) => ({ path, content, mode: 0o644 });
const script = (path: string, content: string) => ({ path, content, mode: 0o755 });
const json = (path: string, content: object) =>
  plain(path, `${JSON.stringify(content, undefined, 2)}\n`);
const recipe = (agent: string, dockerfile: string) => [
  plain("agent.yml", agent),
  plain("Dockerfile", dockerfile),
];
const versions = (named: object, locked: object) => [
  json("package.json", named),
  json("package-lock.json", locked),
];

const rows: Readonly<Record<string, readonly PackageContent[]>> = {
  "claude-code": [
    ...recipe(claudeAgent, claudeDockerfile),
    script("claude-code.sh", claudeScript),
    ...versions(claudePackage, claudeLock),
  ],
  codex: [
    ...recipe(codexAgent, codexDockerfile),
    script("codex.sh", codexScript),
    ...versions(codexPackage, codexLock),
  ],
  opencode: [
    ...recipe(opencodeAgent, opencodeDockerfile),
    script("opencode.sh", opencodeScript),
    json("opencode.json", opencodeSettings),
    plain("remarks.js", opencodeRemarks),
    ...versions(opencodePackage, opencodeLock),
  ],
  pi: [
    ...recipe(piAgent, piDockerfile),
    script("pi.sh", piScript),
    plain("remarks.js", piRemarks),
    ...versions(piPackage, piLock),
  ],
  "qwen-code": [
    ...recipe(qwenAgent, qwenDockerfile),
    script("qwen-code.sh", qwenScript),
    ...versions(qwenPackage, qwenLock),
  ],
  aider: [
    ...recipe(aiderAgent, aiderDockerfile),
    script("aider.sh", aiderScript),
    plain("not-committed", aiderNotCommitted),
    plain("requirements.txt", aiderRequirements),
  ],
  "mini-swe-agent": [
    ...recipe(miniAgent, miniDockerfile),
    script("mini-swe-agent.sh", miniScript),
    plain("remarks.py", miniRemarks),
    plain("requirements.txt", miniRequirements),
  ],
  "llm-coder": recipe(
    prompted("coder", "changes the code as a goal asks: Sett's built-in worker, with tools"),
    coderDockerfile,
  ),
  "llm-reviewer": recipe(
    prompted("reviewer", "reviews each commit: Sett's built-in worker, with tools"),
    reviewerDockerfile,
  ),
  shell: [...recipe(shellAgent, shellDockerfile), script("run.sh", shellScript)],
  tester: [...recipe(testerAgent, testerDockerfile), script("run.sh", testerScript)],
};

/** By the names that `use` has for them. */
export const ownPackages: ReadonlyMap<string, readonly PackageContent[]> = new Map(
  Object.entries(rows),
);

export const ownNames: readonly string[] = [...ownPackages.keys()];

/** For a word of `use` that is no package, no folder and no image. */
export function unknownPackage(use: string): string {
  const meant = nearestWord(use, ownNames);
  const known = `Sett has ${ownNames.map((name) => `\`${name}\``).join(", ")}`;
  return meant === undefined
    ? `names no package: ${known}. A folder begins with \`./\`, and an image has a tag or a digest`
    : `names no package: did you mean \`${meant}\`?`;
}

/** The agent.yml of an agent of `sett init --llm`, whose prompts are in one place. */
function prompted(name: string, about: string): string {
  const { agents } = parse(llmSettYml);
  const { build: _build, model: _model, budget: _budget, ...agent } = agents[name];
  return stringify({ version: "1.0", about, model: "any", ...agent }, { lineWidth: 0 });
}
