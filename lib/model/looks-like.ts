// Says whether people may take one name for another: a name that an agent chooses for one of Sett's
// own.
//
// Case, width, marks, invisible characters, spaces and punctuation do not count, nor does a sign, a
// digit or a letter of another script that is drawn like a letter of ASCII. Letters that no list
// has count as any when at least half of them are right: no list of look-alikes is complete. A sign
// beyond ASCII may be drawn for a letter, or be an ornament.

/**
 * The characters that are drawn like a letter of ASCII in the common fonts, in lower case, by that
 * letter. A character may look like several.
 */
const drawnAs: Readonly<Record<string, string>> = {
  a: "аαɑᴀꭺꓮ4@",
  b: "вьβƅʙᏼꓐⲃ68ßꮟ",
  c: "сϲᴄⅽꮯꓚⲥ(<[{©¢",
  d: "ԁɗꓒᴅđժꭰꓓꮷ",
  e: "еҽεєᴇꬲɛꭼꓰⲉ℮3€",
  f: "ƒꜰϝքꬵꓝ",
  // A `q` is drawn like a `g`, and the other way round.
  g: "ɡցԍɢꓖꮐ69qԛզգ",
  h: "һнհʜηꓧⲏꮋꮒ#",
  j: "јϳᴊꓙꭻ",
  k: "кκᴋꓗⲕꮶ",
  // A capital `i` is drawn like an `l`.
  l: "іıιӏɩլɪʟǀ1iͺⅼꓡꓲⲓꭵꮮ|!¡£łꞁꞽ",
  m: "мᴍμꓟⲙꮇ",
  n: "пηոռɴꓠⲛ",
  o: "оοσօøᴏ0өꓳⲟꮎ",
  p: "рρᴘꓑⲣꮲ",
  r: "гʀᴦꓣꭱꮢ®",
  s: "ѕꜱƽ5ꓢꮪ$\u00a7",
  t: "тτᴛꓔⲧꭲ7+†",
  u: "υսᴜцꓴ",
  v: "ѵνᴠטꓦꮩ",
  w: "ԝωᴡաꓪꮃꮤ",
  x: "хχ×ꓫⲭ",
  y: "уүγʏყꓬⲩꮍꭹ¥",
  z: "ᴢʐ2ꓜꮓ",
};

/**
 * Alphabets of signs, each from A to Z: letters in black circles and squares, and those of which
 * flags are made.
 */
const alphabetsOfSigns = [0x1_f1_50, 0x1_f1_70, 0x1_f1_e6];

/**
 * Alphabets of ornament, each from A to Z, with a dot where it has none of its own: programs write
 * any word in them. Letters of other languages stand for those of ASCII that they resemble.
 */
const ornamental = [
  "ᗩᗷᑕᗪᗴᖴᘜᕼᓰᒍ.ᒪᗰᑎᝪᑭᑫᖇᔕ.ᑌᐯᗯ᙭.ᘔ",
  "ᗩᗷᑕᗞᕮᖴᘜᕼᐃᒚᛕᒪᗰᘉᗝᑭᕴᖇᔕᖶᑘᐻᘺᚷᖻᗱ",
  "₳₿₵ĐɆ₣₲Ⱨł.₭Ⱡ₥₦Ø₱QⱤ₴₮Ʉ.₩ӾɎⱫ",
  "ᏗᏰፈᎴᏋᎦᎶᏂᎥᏠᏦᏝᎷᏁᎧᎮᎤᏒᏕᏖᏬᏉᏇጀᎩፚ",
  "ค๒ς๔єŦﻮђเןкɭ๓ภ๏קợгรՇยשฬאץչ",
  "卂乃匚ᗪ乇千Ꮆ卄丨フҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
  "ム乃ᄃり乇キムん丿フズレᄊ刀の尸ゐ尺丂イひ√山メリ乙",
  "ΛБᄃÐΣҒԌΉІЈҜᄂМПӨРǪЯƧƬЦѴЩЖҰΖ",
  "ꬰꞗꞓꝺɇꟻꞬꞕɨɉꝁꝇ.ꞑꝋꝑꝗɍꞅꞇꞹꝟꟽ.ɏƶ",
] as const;

/** Two letters that are drawn like one. */
const pairs = [
  { pair: ["r", "n"], as: "m" },
  { pair: ["v", "v"], as: "w" },
  { pair: ["c", "l"], as: "d" },
] as const;

const lettersBySign = new Map<string, string>();
for (const [letter, others] of Object.entries(drawnAs))
  for (const other of others) addLetter(other, letter);
for (const from of alphabetsOfSigns)
  for (const [place, letter] of [..."abcdefghijklmnopqrstuvwxyz"].entries())
    addLetter(String.fromCodePoint(from + place), classOf(letter));

for (const alphabet of ornamental)
  for (const [place, sign] of [...alphabet].entries())
    for (const part of partsOf(sign))
      if (/[^\p{M}\p{ASCII}]/u.test(part))
        addLetter(part, classOf(String.fromCharCode(0x61 + place)));

/** Some signs are taken apart into others, or have a lower case, only after the first step. */
function partsOf(text: string): string[] {
  return [...text.normalize("NFKD").toLowerCase().normalize("NFKD")];
}

/** The letters that one of ASCII is drawn like. */
function classOf(letter: string): string {
  return lettersBySign.get(letter) ?? letter;
}

function addLetter(sign: string, letter: string): void {
  lettersBySign.set(sign, (lettersBySign.get(sign) ?? "") + letter);
}

const drawnLike = new Map<string, string>();
for (const [letter, others] of Object.entries(drawnAs))
  for (const other of others)
    if (other > "\x7f" && !drawnLike.has(other)) drawnLike.set(other, letter);

/**
 * The text as it looks at a glance: in lower case, without what cannot be seen and blanks at its
 * ends, and with the letters of ASCII for those that are drawn like them.
 */
export function lookOf(text: string): string {
  const signs = [...text.normalize("NFKC").toLowerCase().normalize("NFKC")].map((sign) => {
    if (/\p{Default_Ignorable_Code_Point}|\p{Cc}/u.test(sign)) return "";
    if (/\p{Zs}/u.test(sign)) return " ";
    const letter = drawnLike.get(sign) ?? sign;
    // An `i` is of the letters that look like an `l`.
    return /[a-z]/.test(letter) ? classOf(letter).slice(0, 1) : letter;
  });
  return signs.join("").trim();
}

/**
 * `letters`: those that it is drawn like. `isAny`: it is in no list. `isOrnament`: it may be none.
 */
type Sign = { letters: string; isAny: boolean; isOrnament: boolean };

function signsOf(name: string): Sign[] {
  // These two would become letters.
  return partsOf(name.replaceAll(/[™℠]/g, "")).flatMap((char) => {
    const letters = lettersBySign.get(char);
    const isAscii = char <= "\x7f";
    const isLetter = /[\p{L}\p{N}]/u.test(char);
    const isDrawn = isLetter || letters !== undefined || (!isAscii && /[\p{S}\p{P}]/u.test(char));
    if (!isDrawn || /\p{Default_Ignorable_Code_Point}/u.test(char)) return [];
    return [
      { letters: letters ?? char, isAny: !isAscii && letters === undefined, isOrnament: !isLetter },
    ];
  });
}

/** Letters of the name so far → the fewest of them that stand for a sign of no list. */
type Reached = Map<number, number>;

/** The first of these, which are ASCII, for which people may take the name. */
export function firstLike<Own extends string>(name: string, owns: readonly Own[]): Own | undefined {
  const signs = signsOf(name);
  return owns.find((own) => areLike(signs, own));
}

const lettersByName = new Map<string, readonly string[]>();

/** Names of ours are few, and each is compared with every type of an agent: they are kept. */
function lettersOf(own: string): readonly string[] {
  const known = lettersByName.get(own);
  if (known !== undefined) return known;
  const letters = [...own.toLowerCase()].map(classOf);
  lettersByName.set(own, letters);
  return letters;
}

function areLike(signs: readonly Sign[], own: string): boolean {
  const wanted = lettersOf(own);
  let [before, reached]: Reached[] = [new Map(), new Map([[0, 0]])];
  let last: Sign | undefined;
  for (const sign of signs) {
    const next: Reached = new Map();
    const reach = (at: number, guessed: number) =>
      next.set(at, Math.min(guessed, next.get(at) ?? guessed));
    for (const [at, guessed] of reached ?? []) {
      if (sign.isOrnament) reach(at, guessed);
      if (at === wanted.length) continue;
      if (sign.letters.includes(wanted[at] ?? "")) reach(at + 1, guessed);
      else if (sign.isAny) reach(at + 1, guessed + 1);
    }
    for (const { pair, as } of pairs) {
      const [first, second] = pair;
      if (last?.letters.includes(first) !== true || !sign.letters.includes(second)) continue;
      for (const [at, guessed] of before ?? []) if (wanted[at] === as) reach(at + 1, guessed);
    }
    if (next.size === 0 && reached?.size === 0) return false;
    [before, reached, last] = [reached, next, sign];
  }
  const guessed = reached?.get(wanted.length);
  return guessed !== undefined && guessed * 2 <= wanted.length;
}
