// An agent whose command asks its model, reads a page by the proxy, and looks for ways of its own,
// as its goal says. It runs in the agent's container, where the cub is Bun itself with BUN_BE_BUN.

import { lookup } from "node:dns/promises";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

type Place = [host: string, port: number];
type Goal = { outside?: string; places?: Place[]; names?: string[]; direct?: Place[] };

const patienceMs = 3_000;
const { OPENAI_BASE_URL = "", OPENAI_API_KEY = "", SETT_MODEL = "" } = process.env;
const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" };

async function askModel(): Promise<string> {
  const messages = [{ role: "user", content: "hello" }];
  const body = JSON.stringify({ model: SETT_MODEL, max_tokens: 100, messages });
  const answer = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers,
    body,
  });
  const text = await answer.text();
  return answer.ok && /hello/i.test(text) ? "hello" : `${answer.status} ${text}`;
}

async function sockets(folder = "/run"): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((each) => each.isSocket()).map((each) => `${each.parentPath}/${each.name}`);
}

/** Where the address of a service with a proof can be read. */
async function proofs(): Promise<string[]> {
  const places = ["/proc/1/environ", "/proc/self/environ", `/proc/${process.ppid}/environ`];
  const read = async (place: string) => {
    const text = await readFile(place, "latin1").catch(() => "");
    return text.includes("tls:/" + "/") ? [place] : [];
  };
  return (await Promise.all(places.map(read))).flat();
}

async function isReached([host, port]: Place): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    setTimeout(() => resolve(false), patienceMs).unref();
  });
}

/**
 * Resolves with what comes back for a request in plain text and by TLS, with the agent's own token.
 */
async function answersOf([host, port]: Place): Promise<string> {
  const request = `GET /openai/v1/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${OPENAI_API_KEY}\r\nconnection: close\r\n\r\n`;
  const dials = [
    () => connect(port, host),
    () => connectTls({ port, host, rejectUnauthorized: false }),
  ];
  const answers = dials.map(
    (dial) =>
      new Promise<string>((resolve) => {
        let text = "";
        const socket = dial();
        const end = () => resolve(text);
        socket.on("data", (part) => {
          text += part.toString();
        });
        socket.once("error", end).once("close", end);
        socket.write(request);
        setTimeout(end, patienceMs).unref();
      }),
  );
  return (await Promise.all(answers)).join("");
}

async function only<Item>(
  items: readonly Item[] | undefined,
  isOne: (item: Item) => Promise<boolean>,
): Promise<string[]> {
  const found = (items ?? []).map(async (item) => ((await isOne(item)) ? [text(item)] : []));
  return (await Promise.all(found)).flat();
}

const text = (item: unknown) => (Array.isArray(item) ? item.join(":") : String(item));

const goal: Goal = JSON.parse((await Bun.stdin.json()).target_artefact.payload);
const isKnown = (name: string) =>
  lookup(name).then(
    () => true,
    () => false,
  );
const answers = {
  model: askModel(),
  ...(goal.outside !== undefined && { outside: fetch(goal.outside).then((page) => page.text()) }),
  sockets: sockets(),
  proofs: proofs(),
  reached: only(goal.places, isReached),
  resolved: only(goal.names, isKnown),
  answers: only(goal.direct, async (place) => (await answersOf(place)) !== ""),
};
const found = Object.entries(answers).map(async ([name, answer]) => [name, await answer] as const);
const payload = Object.fromEntries(await Promise.all(found));
console.log(
  JSON.stringify({
    ...{ structural_type: "Terminal", artefact_type: "Found", summary: "Found" },
    artefact_payload: JSON.stringify(payload),
  }),
);
