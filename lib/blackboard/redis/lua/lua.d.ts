// Scripts are imported as text: `import source from "./place-bid.lua" with { type: "text" }`.
declare module "*.lua" {
  const source: string;
  export default source;
}
