import { expect, test } from "bun:test";
import {
  listInBackup,
  nameInBackup,
  namesIn,
} from "../../../../../apps/cli/backup/append-files.ts";

test("Redis' files get the next number, so that none of them is that of a first start", () => {
  expect(nameInBackup("appendonlydir/appendonly.aof.1.base.rdb")).toBe("appendonly.aof.2.base.rdb");
  expect(nameInBackup("appendonlydir/appendonly.aof.99.incr.aof")).toBe(
    "appendonly.aof.100.incr.aof",
  );
  expect(nameInBackup("appendonlydir/appendonly.aof.manifest")).toBe("appendonly.aof.manifest");
  for (const other of ["users.acl", "appendonlydir/temp-rewriteaof-1.aof", "dump.rdb", "x/y"])
    expect(nameInBackup(other)).toBeUndefined();
});

test("the list names them, and none that Redis was about to remove", () => {
  const list = listInBackup(
    "file appendonly.aof.3.base.rdb seq 3 type b\nfile appendonly.aof.2.base.rdb seq 2 type h\nfile appendonly.aof.9.incr.aof seq 9 type i\n",
  );
  expect(list).toBe(
    "file appendonly.aof.4.base.rdb seq 4 type b\nfile appendonly.aof.10.incr.aof seq 10 type i\n",
  );
  expect(namesIn(list)).toEqual(["appendonly.aof.4.base.rdb", "appendonly.aof.10.incr.aof"]);
});
