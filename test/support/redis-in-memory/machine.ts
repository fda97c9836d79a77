// Lua 5.1 itself, compiled to WebAssembly: its interface in C, with texts of bytes.
import { Buffer } from "node:buffer";
import { LuaApi } from "wasmoon-lua5.1";

/** A state of Lua, and a value's place on its stack: a negative one counts from the top. */
type State = number;
type Place = number;

/** The part of the interface that is used; the manual of Lua 5.1 says what each does. */
type Interface = {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  addFunction(run: (state: State) => number, signature: "ii"): number;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _luaL_newstate(): State;
  _luaL_openlibs(state: State): void;
  _luaL_loadbuffer(state: State, at: number, bytes: number, name: number): number;
  _luaL_ref(state: State, table: Place): number;
  _lua_gettop(state: State): number;
  _lua_settop(state: State, place: Place): void;
  _lua_checkstack(state: State, more: number): number;
  _lua_type(state: State, place: Place): number;
  _lua_objlen(state: State, place: Place): number;
  _lua_tonumber(state: State, place: Place): number;
  _lua_toboolean(state: State, place: Place): number;
  _lua_tolstring(state: State, place: Place, lengthAt: number): number;
  _lua_pushnumber(state: State, value: number): void;
  _lua_pushboolean(state: State, value: number): void;
  _lua_pushlightuserdata(state: State, at: number): void;
  _lua_pushlstring(state: State, at: number, bytes: number): void;
  _lua_pushcclosure(state: State, run: number, values: number): void;
  _lua_createtable(state: State, members: number, fields: number): void;
  _lua_getfield(state: State, table: Place, name: number): void;
  _lua_setfield(state: State, table: Place, name: number): void;
  _lua_rawset(state: State, table: Place): void;
  _lua_rawgeti(state: State, table: Place, index: number): void;
  _lua_rawseti(state: State, table: Place, index: number): void;
  _lua_pcall(state: State, values: number, results: number, handler: number): number;
  _lua_error(state: State): number;
};

export const machine = (await LuaApi.initialize()).module as unknown as Interface;

/** A text of fewer bytes is copied faster by itself. */
const shortText = 48;

let room = 1 << 16;
let scratch = machine._malloc(room);
const lengthAt = machine._malloc(4);
let memory = Buffer.from(machine.HEAPU8.buffer);

/** A machine that needs more memory gets another. */
function bytes(): Buffer {
  if (memory.buffer !== machine.HEAPU8.buffer) memory = Buffer.from(machine.HEAPU8.buffer);
  return memory;
}

export function pushText(state: State, text: string): void {
  const { length } = text;
  if (length > room) {
    machine._free(scratch);
    room = 2 * length;
    scratch = machine._malloc(room);
  }
  const { HEAPU8 } = machine;
  if (length >= shortText) bytes().write(text, scratch, "latin1");
  else for (let at = 0; at < length; at += 1) HEAPU8[scratch + at] = text.charCodeAt(at);
  machine._lua_pushlstring(state, scratch, length);
}

/** A number becomes a text in its place. */
export function textAt(state: State, place: Place): string {
  const at = machine._lua_tolstring(state, place, lengthAt);
  const length = machine.HEAPU32[lengthAt >> 2] ?? 0;
  return bytes().toString("latin1", at, at + length);
}

const names = new Map<string, number>();

/** A name as a text of C, which stays where it is. */
export function nameAt(name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  const at = machine._malloc(name.length + 1);
  bytes().write(`${name}\0`, at, "latin1");
  names.set(name, at);
  return at;
}

/**
 * Leaves the source as a function on the stack; or why it cannot be one, and the result is not
 * zero.
 */
export function loadSource(state: State, source: string): number {
  const at = machine._malloc(source.length);
  bytes().write(source, at, "latin1");
  const result = machine._luaL_loadbuffer(state, at, source.length, nameAt("@user_function"));
  machine._free(at);
  return result;
}
