// Lua 5.1 itself, compiled to WebAssembly: its interface in C, with texts of bytes.
import { Buffer } from "node:buffer";
import { LuaApi } from "wasmoon-lua5.1";

/** A state of Lua, and a value's place on its stack: a negative one counts from the top. */
type State = number;
type Place = number;

/** The part of the interface that is used; the manual of Lua 5.1 says what each does. */
type Interface = {
  malloc(bytes: number): number;
  free(at: number): void;
  luaL_newstate(): State;
  luaL_openlibs(state: State): void;
  luaL_loadbuffer(state: State, at: number, bytes: number, name: number): number;
  luaL_ref(state: State, table: Place): number;
  lua_gettop(state: State): number;
  lua_settop(state: State, place: Place): void;
  lua_checkstack(state: State, more: number): number;
  lua_type(state: State, place: Place): number;
  lua_objlen(state: State, place: Place): number;
  lua_tonumber(state: State, place: Place): number;
  lua_toboolean(state: State, place: Place): number;
  lua_tolstring(state: State, place: Place, lengthAt: number): number;
  lua_pushnumber(state: State, value: number): void;
  lua_pushboolean(state: State, value: number): void;
  lua_pushlightuserdata(state: State, at: number): void;
  lua_pushlstring(state: State, at: number, bytes: number): void;
  lua_pushcclosure(state: State, run: number, values: number): void;
  lua_createtable(state: State, members: number, fields: number): void;
  lua_getfield(state: State, table: Place, name: number): void;
  lua_setfield(state: State, table: Place, name: number): void;
  lua_rawset(state: State, table: Place): void;
  lua_rawgeti(state: State, table: Place, index: number): void;
  lua_rawseti(state: State, table: Place, index: number): void;
  lua_pcall(state: State, values: number, results: number, handler: number): number;
  lua_error(state: State): number;
};

/** The members that the module adds to them. */
type Module = {
  readonly HEAPU8: Uint8Array;
  addFunction(run: (state: State) => number, signature: "ii"): number;
};

const { module, exports } = await initialized();

export const machine = exports;

/** A function that Lua can call: it leaves its results on the stack, and says how many. */
export const addFunction = (run: (state: State) => number): number => module.addFunction(run, "ii");

type Instantiated = { instance: WebAssembly.Instance };

/** What the module itself offers of its functions checks each call anew, which takes longer. */
async function initialized(): Promise<{ module: Module; exports: Interface }> {
  const { instantiate } = WebAssembly;
  const made = Promise.withResolvers<WebAssembly.Exports>();
  const noted = async (source: BufferSource, imports: WebAssembly.Imports) => {
    const result = (await instantiate(source, imports)) as unknown as Instantiated;
    made.resolve(result.instance.exports);
    return result;
  };
  Object.assign(WebAssembly, { instantiate: noted });
  try {
    const { module } = await LuaApi.initialize();
    return { module, exports: (await made.promise) as unknown as Interface };
  } finally {
    Object.assign(WebAssembly, { instantiate });
  }
}

/** A text of fewer bytes is copied faster by itself. */
const shortText = 48;

/** A Buffer, with what its types leave out: these two do not look the encoding up. */
type Bytes = Buffer & {
  latin1Slice(from: number, to: number): string;
  latin1Write(text: string, at: number): number;
};

let memory = Buffer.from(module.HEAPU8.buffer) as Bytes;
let words = new DataView(module.HEAPU8.buffer);
let room = 1 << 16;
let scratch = machine.malloc(room);
const lengthAt = machine.malloc(4);

/** A machine that needs more memory gets another, and the one before is empty. */
function bytes(): Bytes {
  if (memory.length === 0) {
    memory = Buffer.from(module.HEAPU8.buffer) as Bytes;
    words = new DataView(module.HEAPU8.buffer);
  }
  return memory;
}

export function pushText(state: State, text: string): void {
  const { length } = text;
  if (length > room) {
    machine.free(scratch);
    room = 2 * length;
    scratch = machine.malloc(room);
  }
  const memory = bytes();
  if (length >= shortText) memory.latin1Write(text, scratch);
  else for (let at = 0; at < length; at += 1) memory[scratch + at] = text.charCodeAt(at);
  machine.lua_pushlstring(state, scratch, length);
}

/** A number becomes a text in its place. */
export function textAt(state: State, place: Place): string {
  const at = machine.lua_tolstring(state, place, lengthAt);
  const memory = bytes();
  return memory.latin1Slice(at, at + words.getUint32(lengthAt, true));
}

const names = new Map<string, number>();

/** A name as a text of C, which stays where it is. */
export function nameAt(name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  const at = machine.malloc(name.length + 1);
  bytes().latin1Write(`${name}\0`, at);
  names.set(name, at);
  return at;
}

/**
 * Leaves the source as a function on the stack; or why it cannot be one, and the result is not
 * zero.
 */
export function loadSource(state: State, source: string): number {
  const at = machine.malloc(source.length);
  bytes().latin1Write(source, at);
  const result = machine.luaL_loadbuffer(state, at, source.length, nameAt("@user_function"));
  machine.free(at);
  return result;
}
