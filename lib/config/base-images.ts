// The images that a Dockerfile uses, and that a registry may replace: who may push the tag decides
// what agents run.

const from = /^\s*FROM\s+(?:--\S+\s+)*(?<image>\S+)(?:\s+AS\s+(?<stage>\S+))?\s*$/i;
const argument = /^\s*ARG\s+(?<words>\S.*)$/i;
/**
 * `COPY --from=IMAGE`, `RUN --mount=type=bind,from=IMAGE`: an image, or a stage by name or number.
 */
const taken = /^\s*(?:COPY|ADD|RUN)\s+(?<flags>(?:--\S+\s+)+)/i;
/** The first lines of a file may name the program that reads the others. */
const syntax = /^#\s*syntax\s*=\s*(?<image>\S+)\s*$/i;
const directive = /^\s*#\s*\w+\s*=/;
/** Sett's own are made on this machine, and have the version of the program. */
const own = /^sett\/(?:orchestrator|gateway|api|cub|agent-base|redis)(?::|$)/;

/**
 * Each that is named by a tag alone, or by no tag. Of a variable its default in the file counts; an
 * image that has none is not seen.
 */
export function replaceableImages(dockerfile: string): string[] {
  const stages = new Set(["scratch"]);
  const found = new Set<string>();
  const defaults = new Map<string, string>();
  const see = (name: string) => {
    const image = withDefaults(unquoted(name), defaults);
    const isNamedForGood = image.includes("@sha256:") || image.includes("$") || own.test(image);
    const isStage = stages.has(image.toLowerCase()) || /^\d*$/.test(image);
    if (!isNamedForGood && !isStage) found.add(image);
  };
  const lines = dockerfile.split(/\r?\n/);
  for (const line of lines.slice(
    0,
    Math.max(
      0,
      lines.findIndex((one) => !directive.test(one)),
    ),
  )) {
    const { image } = syntax.exec(line.trim())?.groups ?? {};
    if (image !== undefined) see(image);
  }
  for (const line of instructions(lines)) {
    const { image, stage } = from.exec(line)?.groups ?? {};
    const { words = "" } = argument.exec(line)?.groups ?? {};
    for (const [, name = "", value = ""] of words.matchAll(/(\w+)=("[^"]*"|'[^']*'|\S*)/g))
      defaults.set(name, withDefaults(unquoted(value), defaults));
    const { flags = "" } = taken.exec(line)?.groups ?? {};
    for (const [, name = ""] of flags.matchAll(/(?<=--|,)from=([^\s,]+)/g)) see(name);
    if (image === undefined) continue;
    see(image);
    if (stage !== undefined) stages.add(stage.toLowerCase());
  }
  return [...found];
}

/**
 * Without comments and without the texts that a `<<` begins. A line that ends with a backslash goes
 * on.
 */
function* instructions(lines: readonly string[]): Generator<string> {
  let line = "";
  let texts: string[] = [];
  for (const next of lines) {
    const [text] = texts;
    if (text !== undefined) {
      if (next.replace(/^\t+/, "") === text) texts = texts.slice(1);
      continue;
    }
    if (/^\s*#/.test(next)) continue;
    line += next.replace(/\\\s*$/, " ");
    if (/\\\s*$/.test(next)) continue;
    if (/^\s*(?:RUN|COPY|ADD)\s/i.test(line))
      texts = [...line.matchAll(/<<-?\s*(["']?)(\w+)\1/g)].flatMap(([, , end]) => end ?? []);
    yield line;
    line = "";
  }
  if (line !== "") yield line;
}

function withDefaults(text: string, defaults: ReadonlyMap<string, string>): string {
  return text.replace(
    /\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g,
    (whole, braced?: string, other?: string, plain?: string) =>
      defaults.get(braced ?? plain ?? "") ?? other ?? whole,
  );
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}
