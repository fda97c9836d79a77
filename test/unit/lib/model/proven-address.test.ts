// The address of a service that is reached by TLS, as one URL.
import { expect, test } from "bun:test";
import { opened, readAddress, sealed, writeAddress } from "../../../../lib/model/proven-address.ts";

const own = { port: 8443, way: "coder.prepare", key: "5e".repeat(32) };
const authority = Buffer.from([0x30, 0xff, 0xfe, 0x00]);

test.each(["sett-demo-gateway", "192.0.2.7", "2001:db8::7", "gateway.sett.svc.cluster.local"])(
  "%s",
  (host) => {
    const read = readAddress(writeAddress({ host, authority, ...own }));
    expect(read).toEqual({ host, authority, ...own });
  },
);

test("a sealed key is none without the password, and another one for another service", () => {
  const address = { host: "gateway", authority, ...own };
  const read = readAddress(writeAddress(sealed(address, "of Redis")));
  expect(read.key).not.toBe(own.key);
  expect(opened(read, "of Redis")).toEqual(address);
  expect(opened(read, "another").key).not.toBe(own.key);
  const other = { ...address, authority: Buffer.from([1]) };
  expect(sealed(other, "of Redis").key).not.toBe(read.key);
  expect(opened(address, "of Redis")).toEqual(address);
});

test.each([
  "tls://gateway:8443/",
  `tls://coder@gateway:8443/?authority=AAAA`,
  `tls://coder:short@gateway:8443/?authority=AAAA`,
  `tls://coder:${own.key}@gateway/?authority=AAAA`,
  `tls://coder:${own.key}@gateway:8443/`,
])("%s is not whole, and the message has nothing of the key", (url) => {
  expect(() => readAddress(url)).toThrow(
    /^The address of the service at gateway(:8443)? is not whole\.$/,
  );
});
