// Files that are imported as text: `import text from "./run.sh" with { type: "text" }`.

declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*/Dockerfile" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*/remarks.js" {
  const text: string;
  export default text;
}

declare module "*.py" {
  const text: string;
  export default text;
}

declare module "*/not-committed" {
  const text: string;
  export default text;
}
