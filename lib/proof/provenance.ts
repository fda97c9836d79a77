// Says which agent made a commit, from what, and what others think of it: a statement of in-toto
// with the provenance of SLSA, by the log and the content that it names alone
// (docs/reference/proof.md#attestations). Pure.
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readPersonalRecord } from "./artefact-record.ts";
import { goalOf, jsonObject, type SealedRecord, textOf } from "./formats.ts";
import { artefactFile, factFile } from "./named-content.ts";

/** The files of a bundle, or what there is of them. `sha256`: only of artefacts and facts. */
export type Files = {
  get(name: string): { sha256: string | undefined; whole(): Promise<Buffer> } | undefined;
};

/** An event that a statement may be about. `artefact`, `claim`: empty where it names none. */
type Step = {
  type: string;
  place: string;
  actor: string;
  claim: string;
  agent: string;
  artefact: string;
  data: Readonly<Record<string, unknown>>;
};

/** A member is left out where it is undefined. */
type Resource = {
  name: string;
  uri?: string | undefined;
  digest?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const digest = /^[0-9a-f]{64}$/;
const object = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const kept = ["artefact_created", "claim_opened", "grant_started", "grant_done", "model_called"];
const maxAttempt = 999_999;
/** The beginning of the year 10000. */
const endOfTimeMs = 253_402_300_800_000;

export function attestationFile(id: string): string {
  return `attestations/${id}.sigstore.json`;
}

/** The id of the artefact; undefined for another file. */
export function attestedIn(name: string): string | undefined {
  const [, id = ""] = /^attestations\/(.*)\.sigstore\.json$/.exec(name) ?? [];
  return uuid.test(id) ? id : undefined;
}

export function commitFile(commit: string): string {
  return `commits/${commit}`;
}

/**
 * The commit that the record of an artefact has delivered, and its goal; undefined where it has
 * not. A verdict names the commit that was judged.
 */
export function resultIn(record: Buffer): { goal: string; commit: string } | undefined {
  const { goal_id: goal = "", metadata, structural_type } = readPersonalRecord(record) ?? {};
  const commit = textOf(metadata?.commit);
  const isResult = uuid.test(goal) && object.test(commit) && structural_type !== "Review";
  return isResult ? { goal, commit } : undefined;
}

export class Provenance {
  readonly #steps = new Map<string, Step[]>();

  /** Takes the records in their order. `body`: the event. */
  note({ type, place, event }: SealedRecord, body = jsonObject(event)): void {
    const data = membersOf(body?.data);
    if (!kept.includes(type) && !isText(data.registry, digest)) return;
    const goal = goalOf(event, body);
    const [actor, agent] = [textOf(body?.actor), textOf(body?.agent)];
    const [claim, artefact] = [wordOf(body?.claim_id, uuid), wordOf(body?.artefact_id, uuid)];
    const steps = this.#steps.get(goal) ?? [];
    this.#steps.set(goal, steps);
    steps.push({ type, place, actor, claim, agent, artefact, data });
  }

  /**
   * `builder`: the name of the log's key. Without `commit`, no work on record has delivered one as
   * this artefact; without `statement`, the file of the commit is not there, or is another one.
   */
  async statementOf(
    id: string,
    files: Files,
    builder: string,
  ): Promise<{ commit?: string; statement?: string }> {
    const file = files.get(artefactFile(id));
    const result = file && resultIn(await file.whole());
    const steps = this.#steps.get(result?.goal ?? "") ?? [];
    const made = steps.find((step) => isCreationOf(id, step));
    const end = steps.find(({ type, artefact }) => type === "grant_done" && artefact === id);
    const isMade = made !== undefined && made.data.sha256 === file?.sha256;
    const work = end && isMade && isWork(end) ? new Work(steps, end) : undefined;
    if (result === undefined || end === undefined || work?.begins(result.commit) !== false)
      return {};
    const { commit } = result;
    const tree = await treeOf(commit, files);
    if (tree === undefined) return { commit };
    const statement = await work.statement({ id, tree, ...result }, files, builder);
    return { commit, statement };
  }
}

/** `goal`: of the artefact. */
type Result = { id: string; goal: string; commit: string; tree: string };

/** The attempt that has ended with a result. */
class Work {
  readonly #steps: readonly Step[];
  readonly #end: Step;
  readonly #start: Step | undefined;
  readonly #calls: Step[];

  constructor(steps: readonly Step[], end: Step) {
    const attempt = attemptIn(end.data);
    const own = (type: string) => (step: Step) =>
      step.type === type &&
      step.claim === end.claim &&
      step.agent === end.agent &&
      attemptIn(step.data) === attempt;
    this.#steps = steps;
    this.#end = end;
    this.#start = steps.slice(0, steps.indexOf(end)).findLast(own("grant_started"));
    this.#calls = steps.filter(own("model_called")).filter(({ data }) => data.kind === "grant");
  }

  /** A commit with which the work has begun is not made by it. */
  begins(commit: string): boolean {
    return this.#start?.data.base_commit === commit;
  }

  async statement(
    { id, goal, commit, tree }: Result,
    files: Files,
    builder: string,
  ): Promise<string> {
    const { claim, agent, data } = this.#end;
    const attempt = String(attemptIn(data));
    const externalParameters = { goal, claim, agent, phase: textOf(data.phase), attempt };
    const resolvedDependencies = [...(await this.#needed(files)), ...this.#prompts()];
    const byproducts = [this.#named("artefact", id), ...this.#printed(), ...this.#reviewsOf(id)];
    return JSON.stringify({
      _type: "https://in-toto.io/Statement/v1",
      subject: [hashed("commit", commit, "gitCommit"), hashed("tree", tree, "gitTree")],
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: {
        buildDefinition: {
          buildType: "https://sett.dev/grant/v1",
          ...{ externalParameters, resolvedDependencies },
        },
        runDetails: {
          builder: { id: `https://${builder}` },
          metadata: { invocationId: `${claim}/${agent}/${attempt}`, ...this.#times() },
          byproducts,
        },
      },
    });
  }

  #times(): { startedOn?: string; finishedOn?: string } {
    const [started, finished] = [timeOf(this.#start?.place), timeOf(this.#end.place)];
    return {
      ...(started !== undefined && { startedOn: started }),
      ...(finished !== undefined && { finishedOn: finished }),
    };
  }

  /** The commit and the image it began with, and what it was given. */
  async #needed(files: Files): Promise<Resource[]> {
    const { inputs, inputs_sha256, base_commit } = this.#start?.data ?? {};
    const opened = this.#steps.find(
      ({ type, claim }) => type === "claim_opened" && claim === this.#end.claim,
    );
    const ids = [opened?.artefact ?? "", ...textOf(inputs).split(" ")];
    const image = await this.#image(files);
    return [
      ...(isText(base_commit, object) ? [hashed("base", base_commit, "gitCommit")] : []),
      ...(image === undefined ? [] : [hashed("image", image)]),
      ...ids.filter((id) => uuid.test(id)).map((id) => this.#named("input", id)),
      ...(isText(inputs_sha256, digest) ? [hashed("inputs", inputs_sha256)] : []),
      ...this.#hashedIn("stdin"),
    ];
  }

  #prompts(): Resource[] {
    return this.#calls.map(({ data }) => {
      const { provider, request, asked, answered } = data;
      const model = textOf(answered) || textOf(asked);
      return {
        name: "prompt",
        digest: isText(request, digest) ? { sha256: request } : undefined,
        annotations: { provider: textOf(provider), model },
      };
    });
  }

  #printed(): Resource[] {
    const answers = this.#calls.map(({ data }) => data.answer).filter((one) => isText(one, digest));
    const named = answers.map((answer) => hashed("answer", String(answer)));
    return [...this.#hashedIn("stdout"), ...this.#hashedIn("stderr"), ...named];
  }

  /** The reviews by claims about the result. */
  #reviewsOf(id: string): Resource[] {
    const ofType = (wanted: string) => this.#steps.filter(({ type }) => type === wanted);
    const about = ofType("claim_opened").filter(({ artefact }) => artefact === id);
    const claims = new Set(about.map(({ claim }) => claim).filter((claim) => claim !== ""));
    const rejections = ofType("grant_done").filter(({ data }) => data.rejects === true);
    const rejected = new Set(rejections.map(({ artefact }) => artefact));
    return ofType("artefact_created")
      .filter(({ claim, data }) => claims.has(claim) && data.structural_type === "Review")
      .filter(({ artefact }) => artefact !== "")
      .map(({ artefact, actor, data }) => {
        const verdict = rejected.has(artefact) ? "rejects" : "approves";
        const annotations = { by: actor, for: textOf(data.agent), verdict };
        return { ...this.#named("review", artefact), annotations };
      });
  }

  /** It has the digest of its record, where the log names it. */
  #named(name: string, id: string): Resource {
    const sha256 = this.#steps.find((step) => isCreationOf(id, step))?.data.sha256;
    const known = sha256 === undefined ? undefined : { sha256: String(sha256) };
    return { name, uri: `urn:uuid:${id}`, digest: known };
  }

  #hashedIn(name: "stdin" | "stdout" | "stderr"): Resource[] {
    const found = this.#end.data[name];
    return isText(found, digest) ? [hashed(name, found)] : [];
  }

  /** The image is that of the registrations on which the work was decided. */
  async #image(files: Files): Promise<string | undefined> {
    const before = this.#steps.slice(0, this.#steps.indexOf(this.#start ?? this.#end));
    const decided = before.findLast(
      ({ claim, data }) => claim === this.#end.claim && isText(data.registry, digest),
    );
    const sha256 = textOf(decided?.data.registry);
    const fact = files.get(factFile(sha256));
    if (fact === undefined || fact.sha256 !== sha256) return undefined;
    const agents = listIn((await fact.whole()).toString()).map(membersOf);
    const own = agents.find(({ name }) => textOf(name) === this.#end.agent);
    return /(?:^|@)sha256:([0-9a-f]{64})$/.exec(textOf(own?.image))?.[1];
  }
}

function isCreationOf(id: string, { type, artefact, data }: Step): boolean {
  return type === "artefact_created" && artefact === id && isText(data.sha256, digest);
}

function isWork({ claim, agent }: Step): boolean {
  return claim !== "" && agent !== "";
}

function hashed(name: string, hash: string, kind = "sha256"): Resource {
  return { name, digest: { [kind]: hash } };
}

/** Undefined where the object is not there, or is not the one of this hash. */
async function treeOf(commit: string, files: Files): Promise<string | undefined> {
  const bytes = await files.get(commitFile(commit))?.whole();
  if (bytes === undefined) return undefined;
  const hash = createHash(commit.length === 40 ? "sha1" : "sha256");
  hash.update(`commit ${bytes.length}\0`).update(bytes);
  if (hash.digest("hex") !== commit) return undefined;
  const [, tree = ""] = /^tree ([0-9a-f]+)\n/.exec(bytes.toString("latin1", 0, 100)) ?? [];
  return tree.length === commit.length ? tree : undefined;
}

/** 0 where it is none. */
function attemptIn({ attempt }: Step["data"]): number {
  const isOne = Number.isInteger(attempt) && Number(attempt) >= 1 && Number(attempt) <= maxAttempt;
  return isOne ? Number(attempt) : 0;
}

function timeOf(place = ""): string | undefined {
  const [, digits = ""] = /^(\d{1,15})-/.exec(place) ?? [];
  if (digits === "" || Number(digits) >= endOfTimeMs) return undefined;
  return new Date(Number(digits)).toISOString();
}

function membersOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function listIn(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function wordOf(value: unknown, form: RegExp): string {
  return isText(value, form) ? value : "";
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === "string" && form.test(value);
}
