// Repositories of the sizes that people have, written by `git fast-import`: the same content each
// time.
import { hostEnv } from "./sample-repository.ts";

/** `bytesEach`: of each file, text that hardly compresses. `commits`: after the first. */
export type Measures = {
  files: number;
  filesPerFolder: number;
  bytesEach: number;
  commits: number;
  filesPerCommit: number;
};

/** The branch `main` of the repository in `folder`, which has no commit yet, gets the history. */
export async function importHistory(folder: string, measures: Measures): Promise<void> {
  const child = Bun.spawn(["git", "-c", "pack.compression=1", "fast-import", "--quiet"], {
    cwd: folder,
    env: hostEnv,
    stdio: ["pipe", "ignore", "inherit"],
  });
  for (const piece of commitsOf(measures)) {
    child.stdin.write(piece);
    await child.stdin.flush();
  }
  await child.stdin.end();
  if ((await child.exited) !== 0) throw new Error("git fast-import has failed.");
}

/** The path of the file with this number. */
export function pathOf(file: number, { filesPerFolder }: Measures): string {
  const folder = Math.floor(file / filesPerFolder);
  return `part-${Math.floor(folder / 100)}/folder-${folder}/file-${file}.txt`;
}

function* commitsOf(measures: Measures): Generator<Buffer> {
  const random = bytesOf(measures.bytesEach);
  const file = (number: number) => {
    const content = random();
    return Buffer.concat([
      Buffer.from(`M 100644 inline ${pathOf(number, measures)}\ndata ${content.length}\n`),
      content,
      Buffer.from("\n"),
    ]);
  };
  for (let commit = 0; commit <= measures.commits; commit++) {
    const subject = `Change ${commit}`;
    yield Buffer.from(
      `commit refs/heads/main\ncommitter Ada <ada@example.invalid> ${1_700_000_000 + commit * 60} +0000\n` +
        `data ${subject.length}\n${subject}\n`,
    );
    const count = commit === 0 ? measures.files : measures.filesPerCommit;
    for (let at = 0; at < count; at++)
      yield file((commit * measures.filesPerCommit * 7 + at) % measures.files);
    yield Buffer.from("\n");
  }
}

/** Text of so many bytes, another one at each call. */
function bytesOf(length: number): () => Buffer {
  // Xorshift, by Marsaglia: quick, and the same everywhere.
  let state = 0x9e3779b9;
  const words = new Uint32Array(Math.ceil((length * 3) / 16));
  return () => {
    for (let at = 0; at < words.length; at++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      words[at] = state;
    }
    return Buffer.from(Buffer.from(words.buffer).toString("base64").slice(0, length));
  };
}
