// The functions of a library in Lua 5.1, with what Redis gives them: `redis` and `cjson`.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { LUA_GLOBALSINDEX, LUA_REGISTRYINDEX, LuaType } from "wasmoon-lua5.1";
import { decodeJson, encodeJson } from "./cjson.ts";
import { pushError, pushJson, pushReply, pushTexts, replyAt } from "./lua-values.ts";
import { addFunction, loadSource, machine, nameAt, pushText, textAt } from "./machine.ts";
import { Refused, type Reply } from "./reply.ts";

/** `place`: where Lua keeps it. */
export type LuaFunction = { place: number; flags: readonly string[] };
export type Library = ReadonlyMap<string, LuaFunction>;
/** Does a command; throws `Refused`. */
type Run = (words: readonly string[]) => Reply;

/**
 * A `long` of C has 32 bits in WebAssembly and 64 in Redis, and `%d` is where a function sees it.
 */
const wideIntegers = `
local format = string.format
function string.format(form, ...)
  if form ~= '%d' then return format(form, ...) end
  local number = tonumber((...)) or error("bad argument #2 to 'format' (number expected)")
  return format('%.0f', (number < 0 and math.ceil(number) or math.floor(number)) + 0)
end
`;

export class Lua {
  readonly #state = machine.luaL_newstate();
  #run: Run = () => {
    throw new Refused("ERR redis.call can only be called inside a script invocation");
  };
  #loaded = new Map<string, LuaFunction>();

  constructor() {
    machine.luaL_openlibs(this.#state);
    this.#give("redis", {
      call: () => this.#call(true),
      pcall: () => this.#call(false),
      sha1hex: () => this.#answer(sha1Of(textAt(this.#state, 1))),
      register_function: () => this.#register(),
    });
    this.#give("cjson", {
      encode: () => this.#encode(),
      decode: () => this.#decode(),
    });
    this.load(wideIntegers);
  }

  /** Throws `Refused` where it cannot be compiled. */
  load(source: string): Library {
    const state = this.#state;
    this.#loaded = new Map();
    const isLoaded = loadSource(state, source.replace(/^#![^\n]*/, "")) === 0;
    if (!isLoaded || machine.lua_pcall(state, 0, 0, 0) !== 0)
      throw new Refused(`ERR Error compiling function: ${textAt(state, -1)}`);
    return this.#loaded;
  }

  call(place: number, keys: readonly string[], words: readonly string[], run: Run): Reply {
    const state = this.#state;
    this.#run = run;
    machine.lua_settop(state, 0);
    machine.lua_rawgeti(state, LUA_REGISTRYINDEX, place);
    pushTexts(state, keys);
    pushTexts(state, words);
    if (machine.lua_pcall(state, 2, 1, 0) === 0) return replyAt(state, 1);
    const isTable = machine.lua_type(state, 1) === LuaType.Table;
    if (isTable) machine.lua_getfield(state, 1, nameAt("err"));
    const message = isTable ? textAt(state, -1) : `ERR ${textAt(state, 1)}`;
    throw new Refused(`${message} script: function, on @user_function:1.`);
  }

  #give(table: string, functions: Record<string, () => number>): void {
    const state = this.#state;
    machine.lua_createtable(state, 0, 4);
    for (const [name, run] of Object.entries(functions)) {
      machine.lua_pushcclosure(state, addFunction(run), 0);
      machine.lua_setfield(state, -2, nameAt(name));
    }
    if (table === "cjson") {
      pushJson(state, null);
      machine.lua_setfield(state, -2, nameAt("null"));
    }
    machine.lua_setfield(state, LUA_GLOBALSINDEX, nameAt(table));
  }

  /** Each function that Lua calls leaves its results on the stack, and says how many. */
  #call(raises: boolean): number {
    try {
      pushReply(this.#state, this.#run(this.#words()));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      pushError(this.#state, error.message);
      if (raises) return machine.lua_error(this.#state);
    }
    return 1;
  }

  #words(): string[] {
    const state = this.#state;
    const count = machine.lua_gettop(state);
    const words: string[] = [];
    for (let place = 1; place <= count; place += 1) {
      const type = machine.lua_type(state, place);
      if (type === LuaType.String) words.push(textAt(state, place));
      else if (type === LuaType.Number) words.push(textOf(machine.lua_tonumber(state, place)));
      else throw new Refused("ERR Lua redis lib command arguments must be strings or integers");
    }
    return words;
  }

  /** `redis.register_function{ function_name=…, flags={ … }, callback=… }` */
  #register(): number {
    const state = this.#state;
    machine.lua_getfield(state, 1, nameAt("function_name"));
    const name = textAt(state, -1);
    machine.lua_getfield(state, 1, nameAt("flags"));
    const flags = replyAt(state, machine.lua_gettop(state));
    machine.lua_getfield(state, 1, nameAt("callback"));
    const place = machine.luaL_ref(state, LUA_REGISTRYINDEX);
    this.#loaded.set(name, { place, flags: (flags ?? []) as string[] });
    return 0;
  }

  #encode(): number {
    const isText = machine.lua_type(this.#state, 1) === LuaType.String;
    if (!isText) return this.#fail("Only texts are encoded here.");
    return this.#answer(encodeJson(textAt(this.#state, 1)));
  }

  #decode(): number {
    let value: unknown;
    try {
      value = decodeJson(textAt(this.#state, 1));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#fail(error.message);
    }
    pushJson(this.#state, value);
    return 1;
  }

  #answer(text: string): number {
    pushText(this.#state, text);
    return 1;
  }

  /** Lua leaves the function at once. */
  #fail(message: string): number {
    pushText(this.#state, message);
    return machine.lua_error(this.#state);
  }
}

function sha1Of(text: string): string {
  return createHash("sha1").update(Buffer.from(text, "latin1")).digest("hex");
}

/** As Redis writes a number of Lua into a command, with 17 digits. */
function textOf(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 1e17) return String(number);
  return String(Number(number.toPrecision(17)));
}
