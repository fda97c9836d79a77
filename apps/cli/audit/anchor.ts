// `sett audit anchor`: shows what the notary has signed to others, who say when it was there.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { clauseOf, exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { type Policy, readPolicy } from "../../../lib/proof/outside/witnesses.ts";
import { openSession } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { askAuthority, type Stamped } from "./ask-authority.ts";
import { consistencyOf, type Head, headOf, keepAnchor } from "./ask-notary.ts";
import { askWitness, type Cosigned } from "./ask-witness.ts";
import { besideNotary } from "./export.ts";

type Order = {
  tsa: string | undefined;
  witnesses: readonly string[];
  policy: string | undefined;
  push: string | undefined;
  json: boolean;
  name: string | undefined;
};
type Got = { stamped: Stamped | undefined; cosigned: Cosigned[]; problems: SettError[] };

/** The exit code: 1 where one of several has not answered. Throws where none has. */
export async function anchorLog(order: Order, shell: Shell): Promise<number> {
  const { tsa, witnesses, push } = order;
  if (tsa === undefined && witnesses.length === 0 && push === undefined)
    throw new SettError("usage", "`sett audit anchor` needs to know who shall see the log.", {
      hint: "For example: `sett audit anchor --tsa https://timestamp.example/`",
    });
  const policy = await policyIn(order.policy, shell);
  await using session = await openSession(shell, order.name);
  const instance = besideNotary(session);
  const head = await headOf(shell, instance);
  const got = await askAll(order, { head, instance, policy }, shell);
  const isAsked = tsa !== undefined || witnesses.length > 0;
  const kept = isAsked ? await keep(got, { head, instance }, shell) : undefined;
  if (push !== undefined) await pushTo(push, session.place.workspace, { instance, head }, shell);
  await report({ order, head, got, index: kept?.index ?? null }, shell);
  return got.problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Throws `usage`. */
export async function policyIn(
  file: string | undefined,
  { cwd }: Pick<Shell, "cwd">,
): Promise<Policy | undefined> {
  if (file === undefined) return undefined;
  const bytes = await readFile(resolve(cwd, file)).catch((cause) => {
    const message = `The policy ${oneLine(file)} cannot be read: ${clauseOf(cause)}.`;
    throw new SettError("usage", message, { cause });
  });
  const read = readPolicy(bytes);
  if (typeof read !== "string") return read;
  throw new SettError("usage", `The policy ${oneLine(file)} cannot be used: ${oneLine(read)}`, {
    hint: "c2sp.org/tlog-policy says what it looks like.",
  });
}

/** Throws where none has answered. */
async function askAll(
  { tsa, witnesses }: Order,
  about: { head: Head; instance: InstanceName; policy: Policy | undefined },
  shell: Shell,
): Promise<Got> {
  const { head, instance, policy } = about;
  const { checkpoint, size } = head;
  const signal = shell.interrupted;
  const consistency = (from: number) => consistencyOf(shell, instance, { checkpoint, from });
  const answers = [
    ...(tsa === undefined ? [] : [askAuthority({ url: tsa, checkpoint, signal })]),
    ...witnesses.map((url) => askWitness({ url, checkpoint, size, consistency, policy, signal })),
  ];
  const got: Got = { stamped: undefined, cosigned: [], problems: [] };
  for (const result of await Promise.allSettled(answers))
    if (result.status === "rejected") {
      if (!(result.reason instanceof SettError)) throw result.reason;
      got.problems.push(result.reason);
    } else if ("reply" in result.value) got.stamped = result.value;
    else got.cosigned.push(result.value);
  const [problem, ...others] = got.problems;
  if (problem === undefined || others.length + 1 < answers.length) return got;
  for (const other of others) shell.messages.warn(other.message);
  throw problem;
}

/** The notary seals it: what is recorded later cannot have been there before. */
async function keep(
  { stamped, cosigned }: Got,
  { head: { checkpoint }, instance }: { head: Head; instance: InstanceName },
  shell: Shell,
): Promise<{ index: number | null }> {
  const times = [...(stamped === undefined ? [] : [stamped]), ...cosigned].map(({ at }) => at);
  const at = new Date(Math.max(...times.map((time) => time.getTime()))).toISOString();
  const lines = cosigned.map((one) => one.lines).join("");
  return await keepAnchor(shell, instance, {
    ...{ checkpoint, at },
    ...(stamped !== undefined && { tsr: stamped.reply.toString("base64") }),
    ...(cosigned.length > 0 && { cosigned: `${checkpoint}${lines}` }),
  });
}

/** Throws `repository-unusable` and `git-failed`. */
async function pushTo(
  remote: string,
  workspace: string | undefined,
  { instance, head }: { instance: InstanceName; head: Head },
  shell: Shell,
): Promise<void> {
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository = await HostRepository.open(workspace || shell.cwd, { env: shell.env });
  await repository.keepCheckpoint(instance, head.checkpoint);
  await repository.pushCheckpoints(instance, remote);
}

type Report = { order: Order; head: Head; got: Got; index: number | null };

async function report({ order, head, got, index }: Report, shell: Shell): Promise<void> {
  const { stamped, cosigned, problems } = got;
  const { out, messages } = shell;
  const size = `${head.size} ${head.size === 1 ? "entry" : "entries"}`;
  if (order.json) {
    const seen = [...(stamped === undefined ? [] : [stamped]), ...cosigned];
    const by = seen.map((one) => ({
      by: one.by,
      at: one.at,
      kind: "reply" in one ? "tsa" : "witness",
    }));
    const failed = problems.map(({ message }) => message);
    const { push: pushed = null } = order;
    await out.write(`${JSON.stringify({ size: head.size, index, seen: by, failed, pushed })}\n`);
  }
  if (stamped !== undefined)
    messages.done(
      `${oneLine(stamped.by)} has stamped the log of ${size}: ${stamped.at.toISOString()}.`,
    );
  for (const { by, at } of cosigned)
    messages.done(`${oneLine(by)} has seen the log of ${size}: ${at.toISOString()}.`);
  if (order.push !== undefined)
    messages.done(`${oneLine(order.push)} has what the notary has signed of ${size}.`);
  const isKept = stamped !== undefined || cosigned.length > 0;
  if (isKept && index === null)
    messages.warn(
      "It is kept, and the notary has not sealed that yet: what comes later is not shown to be later.",
    );
  for (const { message, hint } of problems)
    messages.warn(hint === undefined ? message : `${message} ${hint}`);
}
