// The files that `sett init` writes. The agents are the repository's own, from the folder `agents`,
// without a change.
import dockerfile from "../../agents/example-agent/Dockerfile" with { type: "text" };
import readme from "../../agents/example-agent/README.md" with { type: "text" };
import runScript from "../../agents/example-agent/run.sh" with { type: "text" };
import coderDockerfile from "../../agents/llm-coder/Dockerfile" with { type: "text" };
import coderReadme from "../../agents/llm-coder/README.md" with { type: "text" };
import reviewerDockerfile from "../../agents/llm-reviewer/Dockerfile" with { type: "text" };
import reviewerReadme from "../../agents/llm-reviewer/README.md" with { type: "text" };
import { configSchemaText, schemaFile } from "./config-schema.ts";
import settYml from "./templates/sett.yml" with { type: "text" };
import llmSettYml from "./templates/sett-llm.yml" with { type: "text" };

/**
 * `path` is relative to the workspace, with `/`; `mode` are the permission bits that the file must
 * end up with.
 */
export type InitFile = { path: string; content: string; mode: number };

/**
 * A sett with one agent that works with no edit: in an empty git repository, once committed, `sett
 * up` starts it.
 */
export function initFiles(): InitFile[] {
  return [
    { path: "sett.yml", content: settYml, mode: 0o644 },
    { path: schemaFile, content: configSchemaText(), mode: 0o644 },
    { path: "agents/example-agent/Dockerfile", content: dockerfile, mode: 0o644 },
    { path: "agents/example-agent/README.md", content: readme, mode: 0o644 },
    { path: "agents/example-agent/run.sh", content: runScript, mode: 0o755 },
  ];
}

/** A coder and a reviewer that are prompts: once their model has a key, `sett up` starts them. */
export function llmInitFiles(): InitFile[] {
  return [
    { path: "sett.yml", content: llmSettYml, mode: 0o644 },
    { path: schemaFile, content: configSchemaText(), mode: 0o644 },
    { path: "agents/llm-coder/Dockerfile", content: coderDockerfile, mode: 0o644 },
    { path: "agents/llm-coder/README.md", content: coderReadme, mode: 0o644 },
    { path: "agents/llm-reviewer/Dockerfile", content: reviewerDockerfile, mode: 0o644 },
    { path: "agents/llm-reviewer/README.md", content: reviewerReadme, mode: 0o644 },
  ];
}
