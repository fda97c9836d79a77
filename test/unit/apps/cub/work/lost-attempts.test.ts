// A cub that starts again says which attempts were lost with the process before it, and leaves all
// others alone.
import { afterAll, describe, expect, test } from "bun:test";
import { reportLostAttempts } from "../../../../../apps/cub/work/lost-attempts.ts";
import type { ProcessMark, RunningGrant } from "../../../../../lib/model/claim.ts";
import type { ClaimId } from "../../../../../lib/model/ids.ts";
import {
  endedMark,
  endMarkedProcesses,
  livingMark,
  own,
} from "../../../../support/cub/marked-process.ts";
import { cubScene } from "../../../../support/cub/scene.ts";
import { agentName } from "../../../../support/records/sample.ts";

const coder = agentName("coder");
const never = new AbortController().signal;
const signals = { stop: never, kill: never };

afterAll(endMarkedProcesses);

describe("the work of an earlier process", () => {
  const running = (agent: string, runBy?: ProcessMark): RunningGrant => {
    const at = new Date().toISOString();
    const begun = { queued_at: at, started_at: at, context_ids: [], state: "running" as const };
    return {
      agent: agentName(agent),
      phase: "exclusive",
      attempt: 1,
      ...(runBy && { run_by: runBy }),
      ...begun,
    };
  };

  test("is a Failure where that process has ended; the work of a living process, another agent or an unknown process is left alone", async () => {
    await using scene = await cubScene({ over: { ownProcess: own, isInContainer: true } });
    const { standIn, deps } = scene;
    const gone = await endedMark();
    const living = livingMark();
    const begun = async (given: RunningGrant): Promise<[ClaimId, RunningGrant]> => {
      const claim = await standIn.openGranted(await standIn.post(), given.agent);
      const { queued_at = "" } = (await standIn.grantOf(claim, given.agent)) ?? {};
      const grant = { ...given, queued_at };
      expect(await standIn.board.acceptGrant({ claim, grant, leaseMs: 600_000 })).toEqual({
        outcome: "accepted",
      });
      return [claim, grant];
    };
    const [lost] = await begun(running("coder", gone));
    const left = [
      running("coder", living),
      running("coder", own),
      running("coder"),
      running("tester", gone),
    ];
    const others = await Promise.all(left.map(begun));
    await reportLostAttempts(deps, signals);
    const { state, artefact, grant } = await standIn.ended(lost, coder);
    expect(state).toBe("failed");
    const reason =
      "Agent coder was killed or crashed in the middle of its work, and was started again: attempt 1 is lost. " +
      "`sett doctor` and `sett logs coder` may say why.";
    expect(artefact).toMatchObject({
      structural_type: "Failure",
      type: "AttemptLost",
      metadata: { summary: reason },
    });
    expect(JSON.parse(artefact.payload)).toEqual({ reason, agent: "coder" });
    expect(grant).toMatchObject({ reason, failure_type: "AttemptLost", run_by: gone });
    for (const [claim, grant] of others)
      expect(await standIn.grantOf(claim, grant.agent)).toEqual(grant);
    // Once more finds nothing more.
    await reportLostAttempts(deps, signals);
    expect(scene.messages().filter((msg) => msg === "Created Failure artefact")).toHaveLength(1);
  });
});
