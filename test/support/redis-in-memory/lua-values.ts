// Makes values of Lua of Redis' answers and of JSON, and a reply of what a function returns.
import { LuaType } from "wasmoon-lua5.1";
import { machine, nameAt, pushText, textAt } from "./machine.ts";
import { type Reply, Status } from "./reply.ts";

export function pushReply(state: number, reply: Reply): void {
  if (typeof reply === "string") pushText(state, reply);
  else if (typeof reply === "number") machine.lua_pushnumber(state, reply);
  else if (reply === null) machine.lua_pushboolean(state, 0);
  else if (reply instanceof Status) pushField(state, "ok", reply.text);
  else pushList(state, reply, pushReply);
}

/** As a table with the one field `err`. */
export function pushError(state: number, message: string): void {
  pushField(state, "err", message);
}

export function pushTexts(state: number, texts: readonly string[]): void {
  pushList(state, texts, pushText);
}

/** A value of JSON.parse, its texts as bytes. */
export function pushJson(state: number, value: unknown): void {
  if (typeof value === "string") pushText(state, value);
  else if (typeof value === "number") machine.lua_pushnumber(state, value);
  else if (typeof value === "boolean") machine.lua_pushboolean(state, value ? 1 : 0);
  else if (value === null) machine.lua_pushlightuserdata(state, 0);
  else if (Array.isArray(value)) pushList(state, value, pushJson);
  else pushObject(state, value as Record<string, unknown>);
}

/** As Redis turns into a reply what a function returns: a list ends with its first nil. */
export function replyAt(state: number, place: number): Reply {
  switch (machine.lua_type(state, place)) {
    case LuaType.String:
      return textAt(state, place);
    case LuaType.Number:
      return Math.trunc(machine.lua_tonumber(state, place));
    case LuaType.Boolean:
      return machine.lua_toboolean(state, place) === 1 ? 1 : null;
    case LuaType.Table:
      return listAt(state, place);
    default:
      return null;
  }
}

function listAt(state: number, place: number): Reply[] {
  machine.lua_checkstack(state, 8);
  const list: Reply[] = [];
  for (let index = 1; ; index += 1) {
    machine.lua_rawgeti(state, place, index);
    const isOver = machine.lua_type(state, -1) === LuaType.Nil;
    if (!isOver) list.push(replyAt(state, machine.lua_gettop(state)));
    machine.lua_settop(state, -2);
    if (isOver) return list;
  }
}

function pushList<Item>(
  state: number,
  items: readonly Item[],
  push: (state: number, item: Item) => void,
): void {
  machine.lua_checkstack(state, 8);
  machine.lua_createtable(state, items.length, 0);
  for (let index = 0; index < items.length; index += 1) {
    push(state, items[index] as Item);
    machine.lua_rawseti(state, -2, index + 1);
  }
}

function pushObject(state: number, members: Record<string, unknown>): void {
  machine.lua_checkstack(state, 8);
  machine.lua_createtable(state, 0, 4);
  for (const [name, value] of Object.entries(members)) {
    pushText(state, name);
    pushJson(state, value);
    machine.lua_rawset(state, -3);
  }
}

function pushField(state: number, name: string, text: string): void {
  machine.lua_createtable(state, 0, 1);
  pushText(state, text);
  machine.lua_setfield(state, -2, nameAt(name));
}
