// What `sett init` writes. The example agent is the repository's own `agents/example-agent`, without a change.
import dockerfile from "../../agents/example-agent/Dockerfile" with { type: "text" };
import readme from "../../agents/example-agent/README.md" with { type: "text" };
import runScript from "../../agents/example-agent/run.sh" with { type: "text" };
import { configSchemaText, schemaFile } from "./config-schema.ts";
import settYml from "./templates/sett.yml" with { type: "text" };

/** `path` is relative to the workspace, with `/`; `mode` are the permission bits that the file must end up with. */
export type InitFile = { path: string; content: string; mode: number };

/** A sett with one agent that works with no edit: in an empty git repository, once committed, `sett up` starts it. */
export function initFiles(): InitFile[] {
  return [
    { path: "sett.yml", content: settYml, mode: 0o644 },
    { path: schemaFile, content: configSchemaText(), mode: 0o644 },
    { path: "agents/example-agent/Dockerfile", content: dockerfile, mode: 0o644 },
    { path: "agents/example-agent/README.md", content: readme, mode: 0o644 },
    { path: "agents/example-agent/run.sh", content: runScript, mode: 0o755 },
  ];
}
