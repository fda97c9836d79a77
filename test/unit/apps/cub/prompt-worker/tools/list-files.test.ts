import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listFilesTool } from "../../../../../../apps/cub/prompt-worker/tools/list-files.ts";
import { searchTool } from "../../../../../../apps/cub/prompt-worker/tools/search.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";
import { nightly } from "../../../../../support/nightly.ts";

const files = {
  "README.md": "x\n",
  "src/a.ts": "x\n",
  "src/deep/b.ts": "x\n",
  "notes/c.md": "x\n",
  "built/d.js": "x\n",
  ".gitignore": "built\n",
};

test("globs choose files, and what git ignores is not listed", async () => {
  using scene = await toolScene(files);
  const tool = listFilesTool(scene.workspace);
  expect(await textFrom(tool, {})).toBe(
    ".gitignore\nREADME.md\nnotes/c.md\nsrc/a.ts\nsrc/deep/b.ts",
  );
  expect(await textFrom(tool, { glob: "*.md" })).toBe("README.md\nnotes/c.md");
  expect(await textFrom(tool, { glob: "src/*.ts" })).toBe("src/a.ts");
  expect(await textFrom(tool, { glob: "src/**/*.ts" })).toBe("src/a.ts\nsrc/deep/b.ts");
  expect(await textFrom(tool, { glob: "./src/" })).toBe("src/a.ts\nsrc/deep/b.ts");
  expect(await textFrom(tool, { glob: join(scene.folder, "notes") })).toBe("notes/c.md");
  expect(await textFrom(tool, { glob: "*.py" })).toBe("No file matches *.py.");
  expect(await textFrom(tool, { glob: "../*" })).toStartWith("The files cannot be listed: ");
});

test("a name that has the signs of a glob is taken as it is, and as a glob", async () => {
  using scene = await toolScene({
    "app/[id]/page.tsx": "needle\n",
    "app/i/page.tsx": "needle\n",
    "a*.md": "x\n",
    "ab.md": "x\n",
  });
  const tool = listFilesTool(scene.workspace);
  expect(await textFrom(tool, { glob: "app/[id]/page.tsx" })).toBe(
    "app/[id]/page.tsx\napp/i/page.tsx",
  );
  expect(await textFrom(tool, { glob: "[id]" })).toBe("app/[id]/page.tsx\napp/i/page.tsx");
  expect(await textFrom(tool, { glob: "a*.md" })).toBe("a*.md\nab.md");
  const search = searchTool(scene.workspace);
  expect(await textFrom(search, { pattern: "needle", glob: "app/[id]/**" })).toBe(
    "app/[id]/page.tsx:1:needle\napp/i/page.tsx:1:needle",
  );
});

test("a name with a line break does not read like two names", async () => {
  using scene = await toolScene({ "a\nb.ts": "x\n", "ä.ts": "x\n" });
  expect(await textFrom(listFilesTool(scene.workspace), {})).toBe('"a\\nb.ts"\nä.ts');
});

test("a file that was removed is not listed, although git still knows it", async () => {
  using scene = await toolScene(files);
  scene.git("add", "--all");
  rmSync(join(scene.folder, "README.md"));
  expect(await textFrom(listFilesTool(scene.workspace), { glob: "*.md" })).toBe("notes/c.md");
});

test("without a repository every file is listed", async () => {
  using scene = await toolScene(files, { isRepository: false });
  expect(await textFrom(listFilesTool(scene.workspace), {})).toBe(
    ".gitignore\nREADME.md\nbuilt/d.js\nnotes/c.md\nsrc/a.ts\nsrc/deep/b.ts",
  );
});

nightly(
  "in a repository with 50 000 files a list and a search are bounded",
  async () => {
    using scene = await toolScene();
    for (let folder = 0; folder < 50; folder++) {
      mkdirSync(join(scene.folder, `f${folder}`));
      for (let file = 0; file < 1_000; file++)
        writeFileSync(join(scene.folder, `f${folder}/n${file}.txt`), `number ${file}\n`);
    }
    const list = await textFrom(listFilesTool(scene.workspace), {});
    expect(list.split("\n")).toHaveLength(501);
    expect(list).toEndWith("[50000 files; the first 500 are shown. Give a narrower glob.]");
    const found = await textFrom(searchTool(scene.workspace), { pattern: "^number 99\\d$" });
    expect(found.split("\n")).toHaveLength(201);
    expect(found).toEndWith("[the first 200 lines of 500; give a narrower pattern or a glob]");
  },
  200_000,
);
