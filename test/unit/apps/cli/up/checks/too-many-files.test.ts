// More open files than the Engine gives.
import { expect, test } from "bun:test";
import { tooManyFiles } from "../../../../../../apps/cli/up/checks/too-many-files.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";

const labels = {
  instance: InstanceName.parse("demo"),
  component: "network" as const,
  version: "1",
  workspace: "/w",
};

/** The findings for agents with these limits, and what an Engine that gives 20 000 has tried. */
async function found(...limits: string[]) {
  const agents = limits.map(
    (limit, at) =>
      `  a${at}: { image: "some/image:1", command: [run], resources: { limits: { ${limit} } } }`,
  );
  const { config, mistakes } = parseConfig({
    text: `version: '1.0'\nagents:\n${agents.join("\n")}\n`,
    file: "sett.yml",
    folder: "/work",
    host: {},
  });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  const tried: number[] = [];
  const opensFiles = async (files: number) => {
    tried.push(files);
    return files <= 20_000;
  };
  return { findings: await tooManyFiles(config, { opensFiles }, labels), tried };
}

test("an Engine that gives a process fewer open files is noticed, with the key of each agent that asks for more", async () => {
  const { findings, tried } = await found(
    ...["files: 1048576", "files: 20000", "files: 10000", "files: 20001", ""],
  );
  expect(tried).toEqual([1_048_576, 20_001, 20_000]);
  const sentence = (files: number) =>
    `is ${files}, and the Docker Engine may not give a process so many: lower it, or raise the Engine's own limit (\`LimitNOFILE\` of docker.service)`;
  expect(findings).toEqual([
    { path: ["agents", "a0", "resources", "limits", "files"], sentence: sentence(1_048_576) },
    { path: ["agents", "a3", "resources", "limits", "files"], sentence: sentence(20_001) },
  ]);
});

test("an Engine is not asked where agents have no more than the default", async () => {
  expect(await found("cpus: 1", "files: 4096", "files: 300")).toEqual({ findings: [], tried: [] });
});
