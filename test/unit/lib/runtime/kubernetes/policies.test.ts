import { expect, test } from "bun:test";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { ServiceName } from "../../../../../lib/model/services.ts";
import { policyOf, servicesFor } from "../../../../../lib/runtime/kubernetes/policies.ts";

const instance = InstanceName.parse("demo");

/** The policy of a service, and where it may connect to. */
function policyFor(component: ServiceName, reachesAt?: string) {
  const labels = { instance, workspace: "", version: "1", id: "one", component } as const;
  const network = { name: "sett-demo", aliases: [] };
  const placement = reachesAt === undefined ? {} : { reachesAt };
  const policy = policyOf({ name: `sett-demo-${component}`, labels, network, placement }, {});
  return { text: JSON.stringify(policy), egress: Object(policy).spec.egress };
}

test("the notary reaches Redis, which lets it in, and nothing outside", () => {
  expect(servicesFor("notary")).toEqual(["redis"]);
  expect(policyFor("redis").text).toContain('"notary"');
  expect(policyFor("notary").text).toContain('"values":["redis"]');
  expect(policyFor("notary").text).not.toContain("ipBlock");
});

test("the way to a Redis elsewhere reaches that number alone, at its port", () => {
  expect(policyFor("redis").egress).toBeUndefined();
  const to = (cidr: string, port: number) => [
    { to: [{ ipBlock: { cidr } }], ports: [{ protocol: "TCP", port }] },
  ];
  expect(policyFor("redis", "redis://10.1.2.3").egress).toEqual(to("10.1.2.3/32", 6379));
  expect(policyFor("redis", "rediss://[fd00::7]:7000").egress).toEqual(to("fd00::7/128", 7000));
});

test("the way to a Redis with a name asks for the numbers behind it, and reaches no credentials of a cloud", () => {
  const { text, egress } = policyFor("redis", "rediss://redis.example.org:6380");
  expect(egress).toHaveLength(2);
  expect(text).toContain('"cidr":"0.0.0.0/0","except":["169.254.0.0/16"');
  expect(text).toContain('"protocol":"UDP","port":53');
});
