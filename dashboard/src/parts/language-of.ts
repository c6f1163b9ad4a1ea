const BY_ENDING: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cc: "c",
  cjs: "javascript",
  cpp: "c",
  css: "css",
  diff: "diff",
  go: "go",
  h: "c",
  hpp: "c",
  htm: "xml",
  html: "xml",
  ini: "ini",
  ipynb: "json",
  java: "java",
  js: "javascript",
  json: "json",
  jsonl: "json",
  jsx: "javascript",
  kt: "java",
  less: "css",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  patch: "diff",
  py: "python",
  pyi: "python",
  rb: "ruby",
  rs: "rust",
  scss: "css",
  sh: "bash",
  sql: "sql",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

const BY_NAME: Readonly<Record<string, string>> = { dockerfile: "bash", makefile: "bash", gemfile: "ruby" };

/** The language of a file by its name; undefined where it is none that is known. */
export function languageOf(path: string): string | undefined {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return own(BY_NAME, name) ?? own(BY_ENDING, ending);
}

const BY_WORD: Readonly<Record<string, string>> = { shell: "bash", console: "bash", golang: "go", jsonc: "json" };

/** The language that a block of code names, in highlight.js' word. */
export function languageNamed(word: string): string | undefined {
  const lower = word.toLowerCase();
  const known = own(BY_ENDING, lower) ?? own(BY_WORD, lower);
  return known ?? (Object.values(BY_ENDING).includes(lower) ? lower : undefined);
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
