// Which work on the pieces of a list goes on, and what came of each.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { endsOfPieces, unfinishedOf } from "../../../../lib/core/pieces.ts";
import type { ClaimStatus } from "../../../../lib/model/claim-status.ts";
import type { WorkedArtefact } from "../../../../lib/model/worked-artefact.ts";
import { newArtefactId } from "../../../support/records/sample.ts";

type Claims = [cause: string, status: ClaimStatus][];

/** The artefacts of a list, each made by the last claim about another one of them. */
class Work {
  readonly artefacts: WorkedArtefact[] = [];

  add(
    structural_type: WorkedArtefact["structural_type"],
    {
      of,
      next,
      claims = [],
      agent = "coder",
      by,
    }: { of?: WorkedArtefact; next?: boolean; claims?: Claims; agent?: string; by?: number } = {},
  ): WorkedArtefact {
    const id = newArtefactId();
    const one: WorkedArtefact = {
      ...{ id, structural_type, produced_by_agent: agent, about: of?.id },
      logical_id: next === true && of !== undefined ? of.logical_id : id,
      version: next === true && of !== undefined ? of.version + 1 : 1,
      claim_id: (by === undefined ? of?.claims.at(-1) : of?.claims[by])?.id ?? "plan",
      claims: claims.map(([cause, status], place) => ({ id: `${id} ${place}`, cause, status })),
    };
    this.artefacts.push(one);
    return one;
  }

  ends(...pieces: WorkedArtefact[]) {
    return endsOfPieces(
      pieces.map(({ id }, place) => ({ key: String(place), id })),
      this.artefacts,
    ).map(({ results, failures }) => ({ results, failures }));
  }
}

const complete: Claims = [["standard", "complete"]];
const terminated: Claims = [["standard", "terminated"]];

describe("work on a list goes on", () => {
  const cases: [string, WorkedArtefact["structural_type"], Claims, boolean][] = [
    ["where a piece has no claim yet", "Standard", [], true],
    ["where a claim is open", "Standard", [["standard", "pending_review"]], true],
    ["not where its claim is complete", "Standard", complete, false],
    ["not where its claim was terminated", "Standard", terminated, false],
    [
      "where a rework follows a rejection",
      "Standard",
      [...terminated, ["rework:1", "pending_exclusive"]],
      true,
    ],
    [
      "where a failed claim is tried again",
      "Standard",
      [...terminated, ["retry:x", "pending_parallel"]],
      true,
    ],
    ["not because of a Failure, which gets no claim", "Failure", [], false],
    ["not because of a Terminal", "Terminal", [], false],
    ["where a question is clarified", "Question", [["clarification:a", "pending_exclusive"]], true],
  ];
  for (const [title, structural, claims, goesOn] of cases)
    test(title, () => {
      const work = new Work();
      work.add("Standard", { claims: complete });
      const last = work.add(structural, { claims });
      expect(unfinishedOf(work.artefacts)).toBe(goesOn ? last.id : undefined);
    });
});

describe("what came of a piece", () => {
  test("is the newest version of each result whose claim is complete", () => {
    const work = new Work();
    const piece = work.add("Standard", { claims: complete });
    const first = work.add("Standard", {
      of: piece,
      claims: [...terminated, ["rework:1", "complete"]],
    });
    work.add("Review", { of: first, by: 0 });
    const second = work.add("Standard", { of: first, next: true, claims: complete });
    const report = work.add("Standard", { of: second, claims: complete });
    const done = work.add("Terminal", { of: second });
    expect(work.ends(piece)).toEqual([{ results: [second.id, report.id, done.id], failures: [] }]);
  });

  test("is the last Failure of each agent, and not those of earlier attempts", () => {
    const work = new Work();
    const piece = work.add("Standard", { claims: terminated });
    work.add("Failure", { of: piece });
    const last = work.add("Failure", { of: piece });
    const other = work.add("Failure", { of: piece, agent: "tester" });
    expect(work.ends(piece)).toEqual([{ results: [], failures: [last.id, other.id] }]);
  });

  test("is no Failure where the claim was tried again, and no result that was rejected for good", () => {
    const work = new Work();
    const again = work.add("Standard", { claims: [...terminated, ["retry:x", "complete"]] });
    work.add("Failure", { of: again, by: 0 });
    const made = work.add("Standard", { of: again, claims: complete });
    const rejected = work.add("Standard", { claims: complete });
    const bad = work.add("Standard", { of: rejected, claims: terminated });
    const exceeded = work.add("Failure", { of: bad, agent: "" });
    expect(work.ends(again, rejected)).toEqual([
      { results: [made.id], failures: [] },
      { results: [], failures: [exceeded.id] },
    ]);
  });

  test("is no Failure to answer a question, and nothing where no agent wanted it", () => {
    const work = new Work();
    const piece = work.add("Standard", { claims: complete });
    const question = work.add("Question", {
      of: piece,
      claims: [["clarification:a", "terminated"]],
    });
    work.add("Failure", { of: question, agent: "a" });
    const ignored = work.add("Standard", { claims: complete });
    expect(work.ends(piece, ignored)).toEqual([
      { results: [], failures: [] },
      { results: [], failures: [] },
    ]);
  });

  test("is also what follows from a person's version of it", () => {
    const work = new Work();
    const piece = work.add("Standard", { claims: terminated });
    const own = work.add("Standard", { claims: complete, agent: "" });
    Object.assign(own, { logical_id: piece.logical_id, version: 2, claim_id: "" });
    const made = work.add("Standard", { of: own, claims: complete });
    expect(work.ends(piece)).toEqual([{ results: [made.id], failures: [] }]);
  });

  test("is of one piece alone, and nothing that is superseded, in every tree of work", () => {
    const kinds = fc.constantFrom("Standard", "Failure", "Terminal", "Review", "Question");
    const step = fc.record({
      kind: kinds,
      of: fc.nat(),
      next: fc.boolean(),
      claims: fc.constantFrom<Claims>([], complete, terminated, [
        ...terminated,
        ["rework:1", "complete"],
      ]),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 12 }),
        (count, steps) => {
          const work = new Work();
          const pieces = Array.from({ length: count }, () =>
            work.add("Standard", { claims: complete }),
          );
          for (const { kind, of, next, claims } of steps) {
            const about = work.artefacts[of % work.artefacts.length];
            const isFailure = kind === "Failure";
            if (about !== undefined && about.claims.length > 0)
              work.add(kind as "Standard", {
                // A Failure has no later version.
                ...{
                  of: about,
                  claims,
                  next: next && !isFailure && kind === about.structural_type,
                },
              });
          }
          const ends = work.ends(...pieces);
          const all = ends.flatMap(({ results, failures }) => [...results, ...failures]);
          expect(new Set(all).size).toBe(all.length);
          for (const id of all) {
            const one = work.artefacts.find((artefact) => artefact.id === id);
            const later = work.artefacts.filter(
              ({ logical_id, version }) =>
                logical_id === one?.logical_id && version > (one?.version ?? 0),
            );
            expect([one?.structural_type, later]).toEqual([
              expect.stringMatching(/Standard|Failure|Terminal/),
              [],
            ]);
            expect(pieces.some((piece) => piece.id === id)).toBe(false);
          }
        },
      ),
    );
  });
});
