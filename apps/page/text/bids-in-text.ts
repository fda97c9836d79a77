// The bids in an event's data: `coder:exclusive tester:ignore`. lib/model/bid.ts reads the same with zod, which is too large for the page.

export function bidsInText(text: string): { agent: string; word: string }[] {
  return text.split(" ").flatMap((pair) => {
    const [agent = "", word = ""] = pair.split(":");
    return agent === "" || word === "" ? [] : [{ agent, word }];
  });
}
