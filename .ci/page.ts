// Bundles the page: `bun .ci/page.ts`, into bin/page. The same sources give the same bytes.
//
// bin/page/files/ index.html and assets/, as a browser asks for them bin/page/page.pack the same in
// one file, compressed, which the programs that serve the page carry (lib/service/page-pack.ts)

import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PageFile, packPage, pagePackName } from "../lib/service/page-pack.ts";
import { hashOf, isUpToDate, remember } from "./build-record.ts";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const folder = "bin/page";
/** Below the root. */
export const pagePack = `${folder}/${pagePackName}`;

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * Bundles the page unless that has been done, and returns the path of the pack below the root.
 * Throws when the bundler refuses.
 */
export async function buildPage(): Promise<string> {
  const hash = await pageHash();
  if (await isUpToDate(root, pagePack, hash)) return pagePack;
  const startedAt = performance.now();
  const files = await bundlePage();
  await rm(join(root, folder), { recursive: true, force: true });
  for (const { path, content } of files) {
    const place = join(root, folder, "files", path === "/" ? "index.html" : path);
    await mkdir(dirname(place), { recursive: true });
    await Bun.write(place, content);
  }
  await Bun.write(join(root, pagePack), await packPage(files));
  await remember(root, pagePack, hash);
  console.log(`built ${pagePack} in ${Math.round(performance.now() - startedAt)} ms`);
  return pagePack;
}

/** One hash over all that the page may be made from. */
export async function pageHash(): Promise<string> {
  const found = await Promise.all(
    ["apps/page", "lib"].map((folder) =>
      Array.fromAsync(new Bun.Glob(`${folder}/**/*`).scan({ cwd: root })),
    ),
  );
  return hashOf(root, [".ci/page.ts", "bun.lock", ...found.flat().sort()], [Bun.version]);
}

export async function bundlePage(): Promise<PageFile[]> {
  const result = await Bun.build({
    entrypoints: [join(root, "apps/page/main.tsx"), join(root, "apps/page/later.css")],
    target: "browser",
    format: "esm",
    // The views that need the graph, or diffs, are loaded when they are needed.
    splitting: true,
    minify: true,
    sourcemap: "none",
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "part-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  if (!result.success)
    throw new Error(`The page cannot be bundled:\n${result.logs.map(String).join("\n")}`);
  const assets = await Promise.all(
    result.outputs.map(async (output): Promise<PageFile> => {
      const name = output.path.split("/").at(-1) ?? output.path;
      return fileOf(`/assets/${name}`, new Uint8Array(await output.arrayBuffer()));
    }),
  );
  const icon = await Bun.file(join(root, "apps/page/icon.svg")).bytes();
  const iconName = `icon-${new Bun.CryptoHasher("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
  const entry = (name: string, ending: string) =>
    assets.find(({ path }) => path.startsWith(`/assets/${name}-`) && path.endsWith(ending))?.path ??
    "";
  const html = (await Bun.file(join(root, "apps/page/index.html")).text())
    .replace("/assets/icon.svg", `/assets/${iconName}`)
    .replace("/assets/later.css", entry("later", ".css"))
    .replace(
      "  </head>",
      `    <link rel="stylesheet" href="${entry("main", ".css")}" />\n    <script type="module" src="${entry("main", ".js")}"></script>\n  </head>`,
    );
  const page: PageFile = {
    ...fileOf("/index.html", new TextEncoder().encode(html)),
    path: "/",
    isHashed: false,
  };
  return [page, fileOf(`/assets/${iconName}`, icon), ...assets];
}

function fileOf(path: string, content: Uint8Array): PageFile {
  const contentType = contentTypes[path.split(".").at(-1) ?? ""];
  if (contentType === undefined)
    throw new Error(`.ci/page.ts does not know the content type of ${path}.`);
  return { path, contentType, isHashed: true, content };
}

if (import.meta.main) {
  try {
    await buildPage();
  } catch (error) {
    reportFailure(error);
  }
}
