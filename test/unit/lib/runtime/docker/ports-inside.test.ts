import { expect, test } from "bun:test";
import { portsInside } from "../../../../../lib/runtime/docker/ports-inside.ts";

const ExposedPorts = { "8080/tcp": {}, "8090/tcp": {} };

test.each([
  ["no port", { PortBindings: null }, [8080, 8090]],
  ["one of them", { PortBindings: { "8090/tcp": [{ HostPort: "0" }] } }, []],
])(
  "a container that publishes %s is led to inside only where nothing else leads there",
  (_, published, inside) => {
    expect(portsInside({ ExposedPorts }, published)).toEqual(inside);
  },
);

test("an image may declare none", () => {
  expect(portsInside({}, {})).toEqual([]);
});
