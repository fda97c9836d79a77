// A forge of this process, in GitHub's form, with state: branches in a real bare repository, pull
// requests, statuses, checks, reviews, ETags. It counts what it is made to do.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "../git/sample-repository.ts";

type MockPull = {
  number: number;
  state: "open" | "closed";
  merged_at: string | null;
  title: string;
  body: string;
  draft: boolean;
  ref: string;
  repo: string;
  base: string;
  /** Of a fork, whose branches are not here. */
  sha?: string;
};
type MockStatus = { sha: string; context: string; state: string; description: string };
type MockRun = {
  sha: string;
  name: string;
  status: string;
  conclusion: string | null;
  text: string;
};
export type MockReview = {
  id: number;
  pull: number;
  login: string;
  state: string;
  commit_id: string;
  body: string;
  comments: { path: string; line: number; body: string }[];
};

type MockMoment = { pull: number; event: string; login: string; body: string };

type MockComment = { id: number; issue: number; body: string; times: number };

const name = "acme/door";

export class MockForge implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "sett-forge-"));
  readonly token = "a-token-of-the-mock-forge";
  readonly pulls: MockPull[] = [];
  readonly statuses: MockStatus[] = [];
  readonly runs: MockRun[] = [];
  readonly reviews: MockReview[] = [];
  /** `times`: how often it was edited. */
  readonly comments: MockComment[] = [];
  /** Closings, reopenings, and the words with them. */
  readonly moments: MockMoment[] = [];
  /** Every request, as `POST /repos/acme/door/pulls 201`. */
  readonly requests: string[] = [];
  /** The requests to merge, and how. */
  readonly merges: Record<string, unknown>[] = [];
  /** Its rules are not met then. */
  mergeRefusal = "";
  required: string[] = [];
  protectedBranches: string[] = ["main"];
  pushes = 0;
  /** May answer in place of the forge, before or after it has acted. */
  onRequest: (request: string, when: "before" | "after") => Response | undefined = () => undefined;
  readonly #server: ReturnType<typeof Bun.serve>;

  /** `hostname`: where it listens; containers reach `0.0.0.0`. */
  constructor(from?: string, hostname = "127.0.0.1") {
    git(this.folder, "init", "--quiet", "--bare", "--initial-branch=main");
    if (from !== undefined) git(from, "push", "--quiet", this.folder, "HEAD:refs/heads/main");
    this.#server = Bun.serve({ port: 0, hostname, fetch: (one) => this.#answer(one) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get file() {
    return { kind: "github" as const, url: this.url, repository: name, token: "hub-token" };
  }

  branch(branch: string): string | undefined {
    const list = git(this.folder, "for-each-ref", "--format=%(objectname) %(refname)");
    return list
      .split("\n")
      .find((line) => line.endsWith(` refs/heads/${branch}`))
      ?.slice(0, 40);
  }

  review(of: Partial<MockReview> & Pick<MockReview, "login" | "state">): void {
    const pull = of.pull ?? this.pulls.at(-1)?.number ?? 0;
    const head = this.branch(this.pulls.find((one) => one.number === pull)?.ref ?? "") ?? "";
    const id = this.reviews.length + 1;
    this.reviews.push({ id, pull, commit_id: head, body: "", comments: [], ...of });
  }

  close(login: string, body = ""): void {
    this.#become("closed", login, body);
  }

  reopen(login: string): void {
    this.#become("open", login, "");
  }

  #become(state: MockPull["state"], login: string, body: string): void {
    const pull = this.pulls.at(-1);
    if (pull === undefined) throw new Error("There is no pull request.");
    pull.state = state;
    const moment = { pull: pull.number, login };
    if (body !== "") this.moments.push({ ...moment, event: "commented", body });
    this.moments.push({ ...moment, event: state === "open" ? "reopened" : "closed", body: "" });
  }

  /** As by a person, who has its branch deleted. */
  merge(pull = this.pulls.at(-1)): void {
    if (pull === undefined) return;
    pull.sha = this.branch(pull.ref) ?? "";
    Object.assign(pull, { state: "closed", merged_at: "2026-01-01T00:00:00Z" });
    git(this.folder, "update-ref", "-d", `refs/heads/${pull.ref}`);
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const what = `${request.method} ${pathname}${pathname.includes("/info/refs") ? search : ""}`;
    const early = this.onRequest(what, "before");
    if (early !== undefined) return early;
    const answer = await this.#act(request, pathname);
    this.requests.push(`${what} ${answer.status}`);
    return this.onRequest(what, "after") ?? answer;
  }

  async #act(request: Request, path: string): Promise<Response> {
    const authorization = request.headers.get("authorization") ?? "";
    const basic = `Basic ${btoa(`x-access-token:${this.token}`)}`;
    if (authorization !== `Bearer ${this.token}` && authorization !== basic)
      return Response.json({ message: "Bad credentials" }, { status: 401 });
    if (path.startsWith(`/${name}.git/`)) return await this.#git(request, path);
    const api = /^\/api\/v3\/repos\/acme\/door\/(.*)$/.exec(decodeURIComponent(path))?.[1];
    const data: unknown =
      api === undefined ? undefined : await this.#rest(request, api, new URL(request.url));
    if (data instanceof Response) return data;
    if (data === undefined) return Response.json({ message: "Not Found" }, { status: 404 });
    const body = JSON.stringify(data);
    const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    const status = request.method === "POST" ? 201 : 200;
    return new Response(body, { status, headers: { etag, "content-type": "application/json" } });
  }

  async #rest(request: Request, path: string, { searchParams }: URL): Promise<unknown> {
    const [kind = "", id = "", part = "", sub = ""] = path.split("/");
    const body: Record<string, string> = request.method === "GET" ? {} : await request.json();
    const page = <Item>(items: Item[]): Item[] => {
      const size = Number(searchParams.get("per_page") ?? 30);
      const at = (Number(searchParams.get("page") ?? 1) - 1) * size;
      return items.slice(at, at + size);
    };
    if (kind === "branches") {
      const branch = path.slice("branches/".length);
      const sha = this.branch(branch);
      const contexts = this.required;
      const protection = { required_status_checks: { contexts } };
      const isProtected = this.protectedBranches.includes(branch);
      return sha && { name: branch, commit: { sha }, protected: isProtected, protection };
    }
    if (kind === "commits" && part === "status")
      return { statuses: this.#newest(id).map(({ sha: _, ...status }) => status) };
    if (kind === "commits" && part === "check-runs")
      return {
        check_runs: page(this.runs.filter(({ sha }) => sha === id)).map((run) => ({
          ...run,
          output: { title: null, summary: run.text, text: null },
        })),
      };
    if (kind === "statuses") {
      this.statuses.push({ sha: id, ...body } as MockStatus);
      return body;
    }
    if (kind === "issues") return this.#issue({ id, part, sub }, request.method, body.body ?? "");
    if (kind !== "pulls") return undefined;
    if (id === "" && request.method === "POST") return this.#open(body);
    if (id === "") return page(this.#listed(searchParams.get("head") ?? ""));
    const pull = this.pulls.find(({ number }) => number === Number(id));
    if (pull === undefined) return undefined;
    if (part === "merge" && request.method === "PUT") return this.#mergeAsAsked(pull, body);
    if (request.method === "PATCH") Object.assign(pull, body);
    if (part === "") return this.#shown(pull);
    const reviews = this.reviews.filter(({ pull: of }) => of === pull.number);
    if (sub === "")
      return page(reviews.map(({ login, comments: _, ...one }) => ({ ...one, user: { login } })));
    return page(reviews.find((one) => one.id === Number(sub))?.comments ?? []);
  }

  #issue(
    { id, part, sub }: { id: string; part: string; sub: string },
    method: string,
    body: string,
  ): unknown {
    if (part === "") return { number: Number(id) };
    if (part === "timeline")
      return this.moments.flatMap(({ pull, event, login, body }, at) =>
        pull === Number(id) ? [{ id: at, event, actor: { login }, body }] : [],
      );
    if (id === "comments") {
      const one = this.comments.find((comment) => comment.id === Number(part));
      if (one !== undefined && method === "PATCH")
        Object.assign(one, { body, times: one.times + 1 });
      return one;
    }
    if (part !== "comments" || sub !== "") return undefined;
    const issue = Number(id);
    if (method === "GET") return this.comments.filter((comment) => comment.issue === issue);
    const comment = { id: 100 + this.comments.length, issue, body, times: 0 };
    this.comments.push(comment);
    return comment;
  }

  #newest(commit: string): MockStatus[] {
    const all = this.statuses.filter(({ sha }) => sha === commit);
    return [...new Map(all.map((one) => [one.context, one])).values()];
  }

  #listed(head: string): object[] {
    const [owner = "", branch] = head.split(":");
    return this.pulls
      .filter((pull) => pull.ref === branch && pull.repo.startsWith(`${owner}/`))
      .map((pull) => this.#shown(pull))
      .toReversed();
  }

  #open({ title = "", body = "", head = "", base = "", draft }: Record<string, unknown>): unknown {
    const ref = String(head);
    const isThere = this.pulls.some(
      (one) => one.ref === ref && one.repo === name && one.state === "open",
    );
    if (isThere || this.branch(ref) === undefined)
      return Response.json({ message: "Validation Failed" }, { status: 422 });
    const number = this.pulls.length + 1;
    const pull = {
      number,
      state: "open",
      merged_at: null,
      title,
      body,
      draft,
      ref,
      repo: name,
      base,
    };
    this.pulls.push(pull as MockPull);
    return this.#shown(pull as MockPull);
  }

  #mergeAsAsked(pull: MockPull, { sha, ...order }: Record<string, string>): unknown {
    const refuse = (status: number, message: string) => Response.json({ message }, { status });
    if (this.mergeRefusal !== "") return refuse(405, this.mergeRefusal);
    if (pull.state !== "open") return refuse(405, "Pull Request is not mergeable");
    if (this.branch(pull.ref) !== sha) return refuse(409, "Head branch was modified.");
    git(this.folder, "update-ref", `refs/heads/${pull.base}`, String(sha));
    this.merges.push({ pull: pull.number, ...order });
    this.merge(pull);
    return { sha, merged: true, message: "Pull Request successfully merged" };
  }

  #shown({ ref, repo, base, sha, ...pull }: MockPull): object {
    const head = { ref, sha: sha ?? this.branch(ref) ?? "", repo: { full_name: repo } };
    return {
      ...pull,
      html_url: `${this.url}/${name}/pull/${pull.number}`,
      head,
      base: { ref: base },
      merge_commit_sha: pull.merged_at === null ? null : (sha ?? null),
    };
  }

  async #git(request: Request, path: string): Promise<Response> {
    if (path.endsWith("/info/refs")) {
      const refs = await receivePack(this.folder, ["--advertise-refs"]);
      const service = "# service=git-receive-pack\n";
      const begin = `${(service.length + 4).toString(16).padStart(4, "0")}${service}0000`;
      return new Response(Buffer.concat([Buffer.from(begin), refs]));
    }
    const before = git(this.folder, "for-each-ref");
    const answer = await receivePack(this.folder, [], Buffer.from(await request.arrayBuffer()));
    if (git(this.folder, "for-each-ref") !== before) this.pushes++;
    return new Response(answer);
  }
}

function receivePack(
  folder: string,
  args: string[],
  input = Buffer.of(),
): Promise<Buffer<ArrayBuffer>> {
  const child = spawn("git", ["receive-pack", "--stateless-rpc", ...args, folder]);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", () => resolve(Buffer.concat(chunks))));
}
