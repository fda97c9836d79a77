// An agent whose command is a small program that calls its model as any client would, through the
// usual variables. It looks for a key wherever it can when the goal says so, and answers with the
// places in which it has found one.
//
// It runs in the agent's container: the cub is compiled with Bun, and is Bun itself with
// BUN_BE_BUN.
export {};

const { OPENAI_BASE_URL = "", OPENAI_API_KEY = "", SETT_MODEL = "" } = process.env;
const gateway = OPENAI_BASE_URL.replace("/openai/v1", "");

/**
 * Every key of the tests has it. In two parts, so that this file and its process do not have it
 * themselves.
 */
const mark = ["sk-of-the", "tests"].join("-");

async function ask(
  words: string,
  token = OPENAI_API_KEY,
  path = "/chat/completions",
): Promise<string> {
  const answer = await fetch(`${OPENAI_BASE_URL}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: SETT_MODEL,
      max_tokens: 100,
      messages: [{ role: "user", content: words }],
    }),
  });
  return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`;
}

async function placesWithKey(): Promise<string[]> {
  const { readdir, readFile, lstat } = await import("node:fs/promises");
  const found: string[] = [];
  const look = (place: string, text: string) => {
    if (text.includes(mark)) found.push(place);
  };
  look("environment", JSON.stringify(process.env));
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    for (const file of ["environ", "cmdline"])
      look(
        `/proc/${pid}/${file}`,
        await readFile(`/proc/${pid}/${file}`, "latin1").catch(() => ""),
      );
  }
  const walk = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = `${folder}/${name}`;
      const about = await lstat(path).catch(() => undefined);
      if (about?.isDirectory()) await walk(path);
      else if (about?.isFile() && about.size < 20_000_000)
        look(path, await readFile(path, "latin1").catch(() => ""));
    }
  };
  for (const folder of [
    "/tmp",
    "/run",
    "/var",
    "/etc",
    "/app",
    "/home",
    "/root",
    "/git",
    "/workspace",
    "/keys",
    "/record",
    "/cub",
  ])
    await walk(folder);
  for (const path of [
    "/healthz",
    "/metrics",
    "/internal/state",
    "/keys/local",
    "/..%2f..%2fkeys/local",
    "/openai/v1/models",
    "/anthropic/v1/messages",
  ]) {
    const answer = await fetch(`${gateway}${path}`, {
      headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
    });
    look(path, `${JSON.stringify([...answer.headers])} ${await answer.text()}`);
  }
  look("an answer", await ask("hello"));
  look("an unknown token", await ask("hello", "sett_grant.x"));
  look("an unknown path", await ask("hello", OPENAI_API_KEY, "/embeddings"));
  look("an error of the provider", await ask("nothing that it knows"));
  return found;
}

/** The first choice's content, or all of an answer that is not one. */
function contentOf(answer: string): string {
  const content = /"content":"((?:[^"\\]|\\.)*)"/.exec(answer)?.[1];
  return answer.startsWith("200 ") && content !== undefined ? content : answer;
}

const goal: string = (await Bun.stdin.json()).target_artefact.payload;
const artefact_payload =
  goal === "hunt" ? JSON.stringify(await placesWithKey()) : contentOf(await ask(goal));
console.log(
  JSON.stringify({
    structural_type: "Terminal",
    artefact_type: "Said",
    artefact_payload,
    summary: "Said",
  }),
);
