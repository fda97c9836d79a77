// The software bill of materials of a release (SBOM), as CycloneDX 1.6: the parts of the programs
// and of the images.
//
// programs Bun, the packages of bun.lock that the `dependencies` of package.json need, directly or
// not, and the modules of apps/verify; images Debian's packages, from the record inside the image
// (.ci/record-packages.sh)
//
// .ci/package.ts calls it. `bun .ci/sbom.ts --check` fails where the SBOM in bin/release names no
// package of an image: the image's base was then unpacked without a record. The document does not
// depend on the time and the machine.

import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import packageJson from "../package.json" with { type: "json" };
import type { Architecture } from "./build.ts";
import { reportFailure } from "./report-failure.ts";

type Hash = { alg: "SHA-512"; content: string };
type License = { license: { name: string } } | { license: { id: string } } | { expression: string };
type Component = {
  type: "application" | "platform" | "library" | "container";
  "bom-ref": string;
  name: string;
  version: string;
  description?: string;
  purl?: string;
  licenses?: License[];
  hashes?: Hash[];
};
type Dependency = { ref: string; dependsOn: string[] };
type Part = { component: Component; dependsOn: string[] };

/** In bun.lock: name and version, registry, what it needs, digest. */
type Locked = [string, string, { dependencies?: Record<string, string> }, string];
type Lock = { packages: Record<string, Locked> };

/**
 * An image to be described. `packages`: its record of Debian's packages, in the format of dpkg's
 * status file.
 */
export type ImageRecord = { name: string; architecture: Architecture; packages: string };

const root = dirname(import.meta.dir);
const { version, license } = packageJson;
const self = `pkg:generic/sett@${version}`;

/** The whole document, as text. */
export async function sbomOf(images: ImageRecord[]): Promise<string> {
  const lock: Lock = parse(await Bun.file(join(root, "bun.lock")).text(), [], {
    allowTrailingComma: true,
  });
  const programs = [
    runtime(),
    ...(await packagesInPrograms(lock, Object.keys(packageJson.dependencies))),
    ...modulesInVerifier(await Bun.file(join(root, "apps/verify/go.mod")).text()),
  ];
  const debian = images.flatMap((image) => debianPackages(image));
  const containers = images.map((image) => containerOf(image));
  const inside = unique([...programs, ...containers]);
  const parts = unique([...inside, ...debian]);
  const dependencies: Dependency[] = [
    { ref: self, dependsOn: inside.map(({ component }) => component["bom-ref"]) },
    ...parts.map(({ component, dependsOn }) => ({
      ref: component["bom-ref"],
      dependsOn: [...new Set(dependsOn)],
    })),
  ];
  const component: Component = {
    type: "application",
    "bom-ref": self,
    name: "sett",
    version,
    description: packageJson.description,
    purl: self,
    licenses: [{ license: { id: license } }],
  };
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components: parts.map((part) => part.component),
    dependencies,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function runtime(): Part {
  const bun = packageJson.devDependencies.bun;
  const purl = `pkg:npm/bun@${bun}`;
  return {
    component: {
      type: "platform",
      "bom-ref": purl,
      name: "bun",
      version: bun,
      purl,
      licenses: [{ license: { id: "MIT" } }],
    },
    dependsOn: [],
  };
}

/** All of them have the licence of Go, whose project publishes them. */
function modulesInVerifier(goMod: string): Part[] {
  return [...goMod.matchAll(/\b(golang\.org\/x\/\S+) v(\S+)/g)].map(([, name = "", found = ""]) => {
    const purl = `pkg:golang/${name}@v${found}`;
    const licenses: License[] = [{ license: { id: "BSD-3-Clause" } }];
    const component: Component = {
      ...{ type: "library", "bom-ref": purl, name, version: found, purl, licenses },
    };
    return { component, dependsOn: [] };
  });
}

/** The packages `names` and all that they depend on. Optional dependencies are not compiled in. */
export async function packagesInPrograms({ packages }: Lock, names: string[]): Promise<Part[]> {
  const found = new Map<string, Part>();
  const follow = async (key: string): Promise<string> => {
    const [nameAndVersion, , { dependencies = {} }, digest] = packages[key] ?? missing(key);
    const ref = `pkg:npm/${nameAndVersion.replace(/^@/, "%40")}`;
    if (found.has(key)) return ref;
    const at = nameAndVersion.lastIndexOf("@");
    const component: Component = {
      type: "library",
      "bom-ref": ref,
      name: nameAndVersion.slice(0, at),
      version: nameAndVersion.slice(at + 1),
      purl: ref,
      licenses: await licensesOf(key),
      hashes: [
        {
          alg: "SHA-512",
          content: Buffer.from(digest.replace("sha512-", ""), "base64").toString("hex"),
        },
      ],
    };
    const part: Part = { component, dependsOn: [] };
    found.set(key, part);
    for (const name of Object.keys(dependencies))
      part.dependsOn.push(await follow(resolve(packages, key, name)));
    return ref;
  };
  for (const name of names) await follow(name);
  return [...found.values()];
}

function missing(key: string): never {
  throw new Error(`bun.lock has no package ${key}: run \`bun install\`.`);
}

/**
 * The key of the package that `name` means inside the package `key`: the nearest one, as Node
 * resolves it.
 */
function resolve(packages: Lock["packages"], key: string, name: string): string {
  const inside = `${key}/${name}`;
  if (packages[inside] !== undefined) return inside;
  const parent = namesIn(key).slice(0, -1).join("/");
  return parent === "" ? name : resolve(packages, parent, name);
}

/** `a/@b/c` → `a`, `@b/c`. */
function namesIn(key: string): string[] {
  return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}

async function licensesOf(key: string): Promise<License[]> {
  const manifest = join(
    root,
    ...namesIn(key).flatMap((name) => ["node_modules", name]),
    "package.json",
  );
  const { license: named }: { license?: unknown } = await Bun.file(manifest).json();
  if (typeof named !== "string") return [];
  return [/[ ()]/.test(named) ? { expression: named } : { license: { id: named } }];
}

function containerOf(image: ImageRecord): Part {
  const ref = `pkg:oci/sett-${image.name}@${version}?arch=${image.architecture}`;
  return {
    component: {
      type: "container",
      "bom-ref": ref,
      name: `sett/${image.name}`,
      version,
      description: `for ${image.architecture}`,
    },
    dependsOn: debianPackages(image).map(({ component }) => component["bom-ref"]),
  };
}

/** The packages in a text in the format of dpkg's status file. */
export function debianPackages({ packages, architecture }: ImageRecord): Part[] {
  return packages.split(/\n\n+/).flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(stanza)?.[1];
    const name = field("Package");
    const number = field("Version");
    if (
      name === undefined ||
      number === undefined ||
      field("Status")?.endsWith(" installed") === false
    )
      return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(number)}?arch=${field("Architecture") ?? architecture}&distro=debian-12`;
    return [
      {
        component: { type: "library", "bom-ref": purl, name, version: number, purl },
        dependsOn: [],
      } satisfies Part,
    ];
  });
}

function unique(parts: Part[]): Part[] {
  return [...new Map(parts.map((part) => [part.component["bom-ref"], part])).values()];
}

/** The record of Debian's packages in an image that the Engine has; empty where there is none. */
export async function packagesOfImage(tag: string): Promise<string> {
  const container = (await Bun.$`docker create ${tag}`.quiet().text()).trim();
  try {
    const texts: string[] = [];
    for (const path of ["/var/lib/dpkg/status", "/var/lib/dpkg/status.d"]) {
      const tar = await Bun.$`docker cp ${container}:${path} - | tar -xO`.nothrow().quiet();
      texts.push(tar.stdout.toString());
    }
    return texts.join("\n");
  } finally {
    await Bun.$`docker rm ${container}`.quiet();
  }
}

/** The images for which the document names no package. */
export function imagesWithoutPackages(document: string): string[] {
  const { components, dependencies }: { components: Component[]; dependencies: Dependency[] } =
    JSON.parse(document);
  const empty = new Set(
    dependencies.filter(({ dependsOn }) => dependsOn.length === 0).map(({ ref }) => ref),
  );
  return components
    .filter((one) => one.type === "container" && empty.has(one["bom-ref"]))
    .map((one) => one["bom-ref"]);
}

if (import.meta.main) {
  try {
    if (process.argv[2] !== "--check")
      throw new Error("Use --check; .ci/package.ts writes the document.");
    const without = imagesWithoutPackages(
      await Bun.file(join(root, "bin/release/sett.cdx.json")).text(),
    );
    if (without.length > 0)
      throw new Error(`The SBOM names no package of Debian in ${without.join(", ")}.`);
  } catch (error) {
    reportFailure(error);
  }
}
