// The devcontainer.json of an agent's `path`: its place, what its image is built from, and which of
// its keys Sett ignores.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { kindOf } from "./kind-of.ts";
import { parseWith } from "./sentences.ts";

export type Devcontainer = {
  /** The folder that sett.yml names, and the file in it: absolute. */
  folder: string;
  file: string;
  text: string;
  /**
   * Docker builds this, or uses this image, before anything is added. Paths are absolute.
   */
  base: { kind: "image"; image: string } | { kind: "build"; context: string; dockerfile: string };
  hasFeatures: boolean;
};

/**
 * `mistakes` and `warnings` are sentences about the folder. The devcontainer is undefined exactly
 * when there are mistakes.
 */
export type CheckedDevcontainer = {
  devcontainer: Devcontainer | undefined;
  mistakes: string[];
  warnings: string[];
};

const places = [".devcontainer/devcontainer.json", ".devcontainer.json", "devcontainer.json"];

const Build = z.looseObject({ dockerfile: z.string().optional(), context: z.string().optional() });
const File = z.looseObject({
  image: z.string().optional(),
  build: Build.optional(),
  /** The older spelling. */
  dockerFile: z.string().optional(),
  context: z.string().optional(),
  features: z.record(z.string(), z.unknown()).optional(),
  remoteUser: z.string().optional(),
  containerUser: z.string().optional(),
});

const honoured = [
  ...[
    "$schema",
    "name",
    "image",
    "build",
    "dockerFile",
    "context",
    "features",
    "overrideFeatureInstallOrder",
  ],
  ...["containerEnv", "remoteEnv", "containerUser", "remoteUser", "updateRemoteUserUID"],
  ...["onCreateCommand", "updateContentCommand", "postCreateCommand"],
];
/** Keys for editors, and for a person who starts a container by hand. */
const forEditors = [
  ...[
    "customizations",
    "forwardPorts",
    "portsAttributes",
    "otherPortsAttributes",
    "secrets",
    "userEnvProbe",
    "waitFor",
  ],
  ...["overrideCommand", "shutdownAction", "hostRequirements", "init"],
];
const known = new Set([...honoured, ...forEditors]);

/** The parser's error codes as clauses. */
const syntaxProblems: Readonly<Record<string, string>> = {
  PropertyNameExpected: "a key in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon after a key is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "there is text after the end of the object",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfComment: "a comment has no end",
  InvalidNumberFormat: "a number is malformed",
  InvalidUnicode: "a text contains an invalid escape",
  InvalidEscapeCharacter: "a text contains an invalid escape",
};
const otherSyntaxProblem =
  "a value is neither a text in double quotes, nor a number, `true`, `false`, `null`, a list or an object";

/**
 * Never throws for what the folder holds. Its JSON may have comments and commas at the end of
 * lists.
 */
export async function checkDevcontainer(folder: string): Promise<CheckedDevcontainer> {
  const wrong = (...mistakes: string[]): CheckedDevcontainer => ({
    devcontainer: undefined,
    mistakes,
    warnings: [],
  });
  const kind = await kindOf(folder);
  if (kind === "nothing") return wrong(`there is no folder ${folder}`);
  if (kind === "file") return wrong("is a file: it must be the folder with a devcontainer.json");
  const name = await firstFile(folder);
  if (name === undefined)
    return wrong(`there is no devcontainer.json in ${folder}, nor .devcontainer/devcontainer.json`);
  const file = join(folder, name);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return wrong(`${name} cannot be read`);

  const errors: ParseError[] = [];
  const data: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (error !== undefined) {
    return wrong(
      `${name}, line ${lineAt(text, error.offset)}, is not JSON with comments: ${syntaxProblems[printParseErrorCode(error.error)] ?? otherSyntaxProblem}`,
    );
  }
  const parsed = parseWith(File, data);
  if (!parsed.isValid)
    return wrong(
      ...parsed.mistakes.map(({ path, sentence }) => `${name}: \`${path.join(".")}\` ${sentence}`),
    );

  const { image, build, dockerFile, features = {}, ...others } = parsed.value;
  if (others.dockerComposeFile !== undefined) {
    return wrong(
      `${name} has \`dockerComposeFile\`: an agent is one image, so name that by \`image\` or \`build\``,
    );
  }
  const dockerfile = build?.dockerfile ?? dockerFile;
  if (dockerfile === undefined && image === undefined)
    return wrong(`${name} names neither \`image\` nor \`build.dockerfile\``);
  const inside = (path: string) => resolve(dirname(file), path);
  const base: Devcontainer["base"] =
    dockerfile === undefined
      ? { kind: "image", image: image ?? "" }
      : {
          kind: "build",
          context: inside(build?.context ?? others.context ?? "."),
          dockerfile: inside(dockerfile),
        };
  if (
    base.kind === "build" &&
    !/\$\{/.test(dockerfile ?? "") &&
    (await kindOf(base.dockerfile)) !== "file"
  ) {
    return wrong(`${name} names a Dockerfile that is not there: ${base.dockerfile}`);
  }
  const devcontainer = { folder, file, text, base, hasFeatures: Object.keys(features).length > 0 };
  return { devcontainer, mistakes: [], warnings: warningsOf(name, parsed.value) };
}

function warningsOf(name: string, data: z.infer<typeof File>): string[] {
  const ignored = Object.keys(data).filter((key) => !known.has(key));
  const user = data.remoteUser ?? data.containerUser;
  return [
    ...(ignored.length === 0 ? [] : [`${name} has ${listed(ignored)}, which Sett ignores`]),
    ...(user === "root"
      ? [
          `${name} names \`root\` as the user: an agent never runs as root, but as the repository's owner`,
        ]
      : []),
  ];
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(", ");
}

async function firstFile(folder: string): Promise<string | undefined> {
  for (const place of places) if ((await kindOf(join(folder, place))) === "file") return place;
  return undefined;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
