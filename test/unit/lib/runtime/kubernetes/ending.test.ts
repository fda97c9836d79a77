import { expect, test } from "bun:test";
import {
  type Ending,
  endingOf,
  remedyOf,
  wordsOf,
} from "../../../../../lib/runtime/kubernetes/ending.ts";

const claim = (finalizers: string[]): Ending => ({
  ...{ kind: "PersistentVolumeClaim", name: "one", finalizers },
});

test("only what the cluster was asked to remove is ending", () => {
  const metadata = { name: "one", uid: "", labels: {}, annotations: {}, creationTimestamp: "" };
  const finalizers = ["example.com/hold"];
  expect(endingOf("Pod", { ...metadata, finalizers })).toBeUndefined();
  const gone = { ...metadata, finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" };
  expect(endingOf("Pod", gone)).toMatchObject({ kind: "Pod", name: "one", finalizers });
});

test("a finalizer of others is named with its remedy, and the cluster's own is not", () => {
  expect(wordsOf([claim(["kubernetes.io/pvc-protection"])])).toBe("the claim one");
  expect(remedyOf([claim(["kubernetes.io/pvc-protection"])], "team")).toBeUndefined();
  const job: Ending = { kind: "Job", name: "two", finalizers: ["orphan", "a.example/x", "b"] };
  expect(wordsOf([claim([]), job])).toBe(
    "the claim one, the Job two (kept by the finalizer a.example/x and b)",
  );
  expect(remedyOf([claim([]), job], "team")).toContain("kubectl --namespace team edit job two");
});
