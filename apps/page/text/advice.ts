// The API's sentences for a person: what a program would ask by a request is a place of this page.
// Pure.

/** Each request has its advice; the first that fits counts. `$1`: what the address names. */
const places: readonly (readonly [RegExp, string])[] = [
  [/GET \/v1\/(?:goals|artefacts)(?=[\s`,.;:)]|$)/, "the view Goals"],
  [/GET \/v1\/artefacts\/([\w-]+)/, "the artefact $1 in its goal"],
  [/GET \/v1\/inquiries/, "the view Inbox"],
  [/GET \/v1\/instance/, "the view Clan"],
  [/GET \/v1\/agents\/([\w-]+)\/logs/, "the log of $1 in the view Clan"],
  [/GET \/v1\/events(?:\?goal=([\w-]+))?/, "the view Log"],
  [/POST \/v1\/goals\/([\w-]+)\/cancel/, "the button Cancel of its goal"],
  [/POST \/v1\/goals\/([\w-]+)\/resume/, "the button Resume of its goal"],
  [/POST \/v1\/goals(?=[\s`,.;:)]|$)/, "the view New goal"],
  [/POST \/v1\/questions\/([\w-]+)\/answer/, "the question in the view Inbox"],
  [/POST \/v1\/artefacts\/([\w-]+)\/retry/, "the button Retry of the failure"],
  [/POST \/v1\/resume/, "the button Resume at the top"],
  [/\/v1\/claims/, "the tab Bids and work of an artefact"],
];

/** Members of a body: the page has a field for each. */
const members: readonly (readonly [RegExp, string])[] = [
  [/`(?:text|reason)`: (?=")/g, ""],
  [/`for`: "([^"]*)"/g, "$1"],
];

/**
 * Names what only a program can do: a header, a member, a parameter, an address for which the page
 * has no place.
 */
const ofPrograms =
  /\/v1\/|`(?:[A-Z][\w-]+: [^`]*|id|for|next|after|limit|format=\w+|Host|Idempotency-Key|Last-Event-ID)`/;

/** Undefined where nothing is left that a person can do. */
export function adviceForPeople(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const sentences = text.split(/(?<=[.?!]) (?=[A-Z`])/);
  const said = sentences.map(inPlaces).filter((sentence) => !ofPrograms.test(sentence));
  return said.length === 0 ? undefined : said.map(capitalised).join(" ");
}

function inPlaces(sentence: string): string {
  const whole = places.reduce((text, [request, place]) => {
    const source = request.source;
    return text.replace(new RegExp(`\`${source}\`|${source}`, "g"), (found) =>
      found.replaceAll("`", "").replace(request, place),
    );
  }, sentence);
  return members.reduce((text, [member, place]) => text.replace(member, place), whole);
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
