// Draws DOT as SVG with Graphviz, which is here as WebAssembly: it blocks its thread, and cannot be
// stopped but with its process.
import { text } from "node:stream/consumers";
// As a file, the module is its own path: a compiled program carries its text once, and no bytecode.
// @ts-expect-error The types of the package know no such import.
import vizFile from "@viz-js/viz" with { type: "file" };
import { messageOf } from "../model/errors.ts";

type Viz = typeof import("@viz-js/viz");

/** Throws what Graphviz says. */
export async function draw(dot: string): Promise<string> {
  const viz: Viz = await import(String(vizFile));
  const graphviz = await viz.instance();
  const result = graphviz.render(dot, { format: "svg", engine: "dot" });
  if (result.status === "success") return result.output;
  throw new Error(result.errors.map(({ message }) => message).join(" "));
}

/** The program that draws: DOT on stdin, SVG on stdout. Resolves with its exit code. */
export async function runDrawer({ stdin, stdout, stderr }: Streams): Promise<number> {
  try {
    await write(stdout, await draw(await text(stdin)));
    return 0;
  } catch (error) {
    await write(stderr, `${messageOf(error)}\n`);
    return 1;
  }
}

type Streams = {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
};

async function write(stream: NodeJS.WritableStream, content: string): Promise<void> {
  await new Promise<void>((resolve) => stream.write(content, () => resolve()));
}
