// The files of the repository that a line of `workspace.prepare.run` obviously needs, by the
// commands that installers are known for. What is not known here needs nothing.

/**
 * `oneOf`: names of files, or ends of paths, one of which the command needs. `command`: as it is
 * written. `isIfThere`: it does without, but goes by the file where there is one, so that what is
 * made depends on it.
 */
export type PrepareNeed = { command: string; oneOf: readonly string[]; isIfThere: boolean };

type Found = { needs?: readonly (readonly string[])[]; ifThere?: readonly (readonly string[])[] };
type Installer = (args: readonly string[]) => Found;

const packageJson = ["package.json"];
const bunLock = ["bun.lock", "bun.lockb"];

const installers: Readonly<Record<string, Installer>> = {
  npm: ([verb = "", ...args]) => {
    const lock = ["package-lock.json", "npm-shrinkwrap.json"];
    if (verb === "ci" || verb === "clean-install") return { needs: [packageJson, lock] };
    const isInstall = (verb === "install" || verb === "i") && namesNothing(args);
    return isInstall ? { needs: [packageJson], ifThere: [lock] } : {};
  },
  yarn: ([verb = "install", ...args]) => {
    if (verb !== "install" && !verb.startsWith("-")) return {};
    const isStrict = [verb, ...args].some((one) => /^--(?:frozen-lockfile|immutable)$/.test(one));
    return locked(packageJson, ["yarn.lock"], isStrict);
  },
  pnpm: ([verb = "", ...args]) => {
    const lock = ["pnpm-lock.yaml"];
    if (verb === "fetch") return { needs: [lock] };
    if (verb !== "install" && verb !== "i") return {};
    return locked(packageJson, lock, args.includes("--frozen-lockfile"));
  },
  bun: ([verb = "", ...args]) => {
    if (verb === "ci") return { needs: [packageJson, bunLock] };
    if ((verb !== "install" && verb !== "i") || !namesNothing(args)) return {};
    return locked(packageJson, bunLock, args.includes("--frozen-lockfile"));
  },
  pip: ([verb, ...args]) => (verb === "install" ? pip(args) : {}),
  poetry: ([verb = ""]) =>
    ["install", "sync"].includes(verb) ? locked(["pyproject.toml"], ["poetry.lock"], false) : {},
  uv: ([verb = "", ...args]) => {
    if (verb === "pip" && ["install", "sync"].includes(args[0] ?? "")) return pip(args.slice(1));
    const isStrict = args.some((one) => /^--(?:locked|frozen)$/.test(one));
    return verb === "sync" ? locked(["pyproject.toml"], ["uv.lock"], isStrict) : {};
  },
  go: ([verb = "", second = ""]) =>
    verb === "mod" && ["download", "vendor", "verify"].includes(second)
      ? locked(["go.mod"], ["go.sum"], false)
      : {},
  cargo: ([verb = "", ...args]) => {
    const isStrict = args.some((one) => /^--(?:locked|frozen)$/.test(one));
    const isKnown = ["fetch", "vendor", "build", "check"].includes(verb);
    return isKnown ? locked(["Cargo.toml"], ["Cargo.lock"], isStrict) : {};
  },
  bundle: ([verb = "install"]) =>
    verb === "install" || verb.startsWith("-") ? locked(["Gemfile"], ["Gemfile.lock"], false) : {},
  composer: ([verb = ""]) =>
    ["install", "i"].includes(verb) ? locked(["composer.json"], ["composer.lock"], false) : {},
};

const otherNames: Readonly<Record<string, string>> = {
  pip3: "pip",
  bundler: "bundle",
  "composer.phar": "composer",
};

const plainPath = /^(?!.*\.\.\/)[\w@+%.][\w@+%./-]*$/;
const shells = new Set(["sh", "bash", "ash", "dash"]);

/** Nothing for words that only the shell can make a path of. */
export function prepareNeeds(run: string): PrepareNeed[] {
  return run.split(/&&|\|\|?|[;\n&()]/).flatMap((part) => {
    const words = wordsOf(part);
    const { needs = [], ifThere = [] } = neededBy(words);
    const command = words.slice(0, 3).join(" ");
    const need = (isIfThere: boolean) => (paths: readonly string[]) => {
      const oneOf = paths.map((path) => path.replace(/^(?:\.\/)+/, ""));
      // What the line names twice, it may make itself.
      return { command, oneOf, isIfThere: isIfThere || run.split(oneOf[0] ?? "").length > 2 };
    };
    const all = [...needs.map(need(false)), ...ifThere.map(need(true))];
    return all.filter(({ oneOf }) => oneOf.every((path) => plainPath.test(path)));
  });
}

/** Without variables that are set for the command alone, and programs that only start another. */
function wordsOf(part: string): string[] {
  const words = part
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/["']/g, ""));
  const isBefore = (word: string) =>
    /^\w+=/.test(word) || /^(?:env|exec|time|corepack)$/.test(word);
  const first = words.findIndex((word) => !isBefore(word));
  const own = first < 0 ? [] : words.slice(first);
  return /^python[\d.]*$/.test(own[0] ?? "") && own[1] === "-m" ? own.slice(2) : own;
}

function neededBy([program = "", ...args]: readonly string[]): Found {
  const last = program.split("/").at(-1) ?? "";
  const name = otherNames[last] ?? last;
  if (Object.hasOwn(installers, name)) return installers[name]?.(args) ?? {};
  const [script = ""] = args;
  if (shells.has(name)) return /^[^-/]/.test(script) ? { ifThere: [[script]] } : {};
  // A file that the image has is named by its whole path.
  return /^[^/]+\/./.test(program) ? { ifThere: [[program]] } : {};
}

function locked(manifest: readonly string[], lock: readonly string[], isStrict: boolean): Found {
  return isStrict ? { needs: [manifest, lock] } : { needs: [manifest], ifThere: [lock] };
}

function pip(args: readonly string[]): Found {
  const files = args.flatMap((arg, at) => {
    if (/^(?:-r|-c|--requirements?|--constraints?)$/.test(arg)) return [args[at + 1] ?? ""];
    return /^(?:-r|-c|--requirement=|--constraint=)(.+)$/.exec(arg)?.[1] ?? [];
  });
  const isProject = args.some((arg) => /^\.(?:\[.*\])?$/.test(arg));
  const project = isProject ? [["pyproject.toml", "setup.py", "setup.cfg"]] : [];
  return { needs: [...files.map((file) => [file]), ...project] };
}

/** An option that has a value of its own is written with `=` here, or it is not known. */
function namesNothing(args: readonly string[]): boolean {
  return args.every((arg) => arg.startsWith("-"));
}
