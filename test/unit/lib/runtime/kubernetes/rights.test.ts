import { expect, test } from "bun:test";
import type { KubeClient } from "../../../../../lib/runtime/kubernetes/client.ts";
import {
  missingRights,
  requireRights,
  rights,
  roleOf,
} from "../../../../../lib/runtime/kubernetes/rights.ts";

const wordsOf = (rules: Parameters<typeof missingRights>[0]) =>
  missingRights(rules).map(({ resource, verbs }) => `${verbs.join(", ")} ${resource}`);

const role = rights.map(({ group, resource, verbs }) => ({
  ...{ apiGroups: [group], resources: [resource], verbs: [...verbs] },
}));

const required = rights.filter(({ isOptional }) => !isOptional);

test("the Role that is printed gives all that is needed, and nothing for all", () => {
  expect(roleOf("team-a")).toMatchObject({
    ...{ kind: "Role", metadata: { name: "sett", namespace: "team-a" }, rules: role },
  });
  expect(wordsOf(role)).toEqual([]);
  expect(JSON.stringify(roleOf("team-a"))).not.toContain("*");
});

test("a verb that no rule gives is named with its resource", () => {
  const without = role.map((rule) => ({
    ...rule,
    verbs: rule.resources.includes("secrets") ? ["list"] : rule.verbs,
  }));
  expect(wordsOf(without)).toEqual(["create, delete, patch secrets"]);
  expect(wordsOf([]).length).toBe(required.length);
});

test("a rule for everything gives all, one for some names none, and one for all logs the log", () => {
  const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  expect(wordsOf([all])).toEqual([]);
  expect(wordsOf([{ ...all, resourceNames: ["one"] }]).length).toBe(required.length - 1);
  const logs = { apiGroups: [""], resources: ["*/log"], verbs: ["get"] };
  expect(wordsOf([logs])).not.toContain("get pods/log");
});

type Asking = { spec: { resourceAttributes?: { verb: string; resource: string; name?: string } } };

test("a cluster that does not list all rules answers for each verb that no rule gives", async () => {
  const sent: string[] = [];
  const json = async (path: string, { body }: { body: Asking }) => {
    const { verb, resource, name } = body.spec.resourceAttributes ?? { verb: "", resource: "" };
    if (path.endsWith("selfsubjectrulesreviews"))
      return { status: { incomplete: true, resourceRules: role.slice(0, -1) } };
    sent.push([verb, resource, name].join(" ").trim());
    return { status: { allowed: verb !== "update" } };
  };
  const client = { json, access: { context: "here" } } as unknown as KubeClient;
  await expect(requireRights(client, "team")).rejects.toThrow("what Sett needs: update leases.");
  expect(sent).toEqual(["create", "delete", "get", "update"].map((verb) => `${verb} leases`));
});
