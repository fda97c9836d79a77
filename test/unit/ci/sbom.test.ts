import { expect, test } from "bun:test";
import { imagesWithoutPackages, sbomOf } from "../../../.ci/sbom.ts";
import packageJson from "../../../package.json" with { type: "json" };

const status = `Package: libc6
Status: install ok installed
Version: 2.36-9+deb12u10
Architecture: amd64
Description: the C library
 Package: of nothing

Package: gone
Status: deinstall ok config-files
Version: 1

Package: git
Architecture: amd64
Version: 1:2.39.5-0+deb12u2
`;
const images = [
  { name: "cub", architecture: "amd64", packages: status },
  { name: "redis", architecture: "amd64", packages: "" },
] as const;

type Document = {
  components: {
    name: string;
    version: string;
    purl?: string;
    "bom-ref": string;
    licenses?: unknown[];
  }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const text = await sbomOf([...images]);
const { components, dependencies }: Document = JSON.parse(text);

test("the list has what the programs are compiled from, with what this needs, and nothing that only builds and tests use", () => {
  const names = components.map(({ name }) => name);
  expect(names).toContain("bun");
  expect(names).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)));
  expect(names).toContain("docker-modem");
  for (const name of Object.keys(packageJson.devDependencies))
    if (name !== "bun") expect(names).not.toContain(name);
  expect(components.find(({ name }) => name === "zod")).toMatchObject({
    version: packageJson.dependencies.zod,
    purl: `pkg:npm/zod@${packageJson.dependencies.zod}`,
    licenses: [{ license: { id: "MIT" } }],
  });
  expect(components.find(({ name }) => name === "golang.org/x/mod")?.purl).toMatch(
    /^pkg:golang\/golang\.org\/x\/mod@v\d+\.\d+\.\d+$/,
  );
});

test("the list has the packages that an image names, and knows an image that names none", () => {
  const libc = "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12";
  const git = "pkg:deb/debian/git@1%3A2.39.5-0%2Bdeb12u2?arch=amd64&distro=debian-12";
  const cub = components.find(({ name }) => name === "sett/cub");
  expect(dependencies.find(({ ref }) => ref === cub?.["bom-ref"])?.dependsOn).toEqual([libc, git]);
  expect(components.map(({ name }) => name)).not.toContain("gone");
  expect(imagesWithoutPackages(text)).toEqual([expect.stringContaining("sett-redis@")]);
});

test("every reference leads to a component, each of which is named once", () => {
  const refs = components.map((component) => component["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  for (const { dependsOn } of dependencies) expect(new Set(dependsOn).size).toBe(dependsOn.length);
  expect(
    dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)),
  ).toEqual([]);
});
