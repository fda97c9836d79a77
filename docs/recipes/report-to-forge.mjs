// Tells a forge how a goal has ended: a commit status, and a comment on the pull or merge request
// (docs/guides/triggers.md). It receives the messages of `notify` in sett.yml. Node 20 or newer,
// and nothing else:
//
//   SETT_HOOK_SECRET=… FORGE=github FORGE_TOKEN=… node report-to-forge.mjs
//
// The goal's first line says what it is about: "Review octo-org/door#12 at
// da1560886d4f094c3e6c9ef40349f7d38b5d27d7".
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";

const {
  SETT_HOOK_SECRET = "",
  FORGE = "github",
  FORGE_TOKEN = "",
  PORT = "8090",
  HOST = "127.0.0.1",
} = process.env;
const api =
  process.env.FORGE_API ??
  (FORGE === "github" ? "https://api.github.com" : "https://gitlab.com/api/v4");
const words = {
  "goal.achieved": ["success", "The goal is achieved."],
  "goal.settled": ["success", "The goal has ended, and nothing is left to do."],
  "goal.failed": ["failure", "The goal has failed."],
  "goal.stalled": ["failure", "No agent goes on with the goal."],
  "goal.cancelled": ["error", "The goal was cancelled."],
};
const subject = /^\S+ ([\w.-]+(?:\/[\w.-]+)+)(?:#(\d+))? at ([0-9a-f]{40,64})\b/;
const done = new Set();

const server = createServer(async (request, response) => {
  const answer = (status) => response.writeHead(status).end();
  try {
    const body = await textOf(request);
    if (body === undefined) return answer(413);
    if (!isSigned(request.headers, body)) return answer(401);
    const id = request.headers["webhook-id"];
    // A message may come twice.
    if (!done.has(id)) await report(JSON.parse(body));
    done.add(id);
    return answer(204);
  } catch (error) {
    console.error(String(error));
    // Sett tries again.
    return answer(503);
  }
});
server.listen(Number(PORT), HOST, () => console.log(`listening on ${server.address().port}`));

async function report({ type, goal, artefact, instance }) {
  const [state, sentence] = words[type] ?? [];
  const [, repository, number, commit] = subject.exec(goal?.summary ?? "") ?? [];
  if (state === undefined || commit === undefined || /(?:^|\/)\.\.?(?:\/|$)/.test(repository))
    return;
  const text = artefact?.text ?? artefact?.summary ?? "";
  const details = text === "" ? "" : `\n\n${quoted(text)}`;
  const comment = `${sentence} Sett \`${instance}\`, goal \`${goal.id.slice(0, 8)}\`.${details}`;
  if (FORGE === "github") {
    const status = { state, context: `sett/${instance}`, description: sentence };
    await post(`/repos/${repository}/statuses/${commit}`, status);
    if (number !== undefined)
      await post(`/repos/${repository}/issues/${number}/comments`, { body: comment });
  } else {
    const project = encodeURIComponent(repository);
    const status = {
      state: state === "success" ? "success" : state === "failure" ? "failed" : "canceled",
    };
    await post(`/projects/${project}/statuses/${commit}`, {
      ...status,
      name: `sett/${instance}`,
      description: sentence,
    });
    if (number !== undefined)
      await post(`/projects/${project}/merge_requests/${number}/notes`, { body: comment });
  }
}

/** Work of agents is data: as a quotation it mentions no one, and closes no issue. */
function quoted(text) {
  const lines = text
    .slice(0, 4_000)
    .replaceAll("@", "@\u200b")
    .replaceAll("#", "#\u200b")
    .split("\n");
  return lines.map((line) => `> ${line}`).join("\n");
}

async function post(path, body) {
  const own =
    FORGE === "github"
      ? { authorization: `Bearer ${FORGE_TOKEN}`, accept: "application/vnd.github+json" }
      : { "private-token": FORGE_TOKEN };
  const response = await fetch(`${api}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "sett", ...own },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(8_000),
  });
  await response.body?.cancel();
  // Nothing gets better by another try, such as for a commit that the forge does not have.
  if (response.status >= 500 || response.status === 429)
    throw new Error(`The forge answered with status ${response.status}.`);
  if (!response.ok) console.error(`The forge refused ${path} with status ${response.status}.`);
}

/** Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`, not older than five minutes. */
function isSigned(headers, body) {
  const {
    "webhook-id": id = "",
    "webhook-timestamp": time = "",
    "webhook-signature": given = "",
  } = headers;
  if (SETT_HOOK_SECRET === "" || !(Math.abs(Date.now() / 1_000 - Number(time)) <= 300))
    return false;
  const key = SETT_HOOK_SECRET.startsWith("whsec_")
    ? Buffer.from(SETT_HOOK_SECRET.slice(6), "base64")
    : SETT_HOOK_SECRET;
  const wanted = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest();
  return given.split(" ").some((one) => {
    const bytes = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  });
}

async function textOf(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > 1_000_000) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
