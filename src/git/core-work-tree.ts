/**
 * Reads from a repository's settings which folder its files are in, as a submodule's say; undefined where they do not, or say it in a
 * way that git itself does not write. Nothing that they include is read.
 */
export function coreWorkTree(config: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of config.split("\n")) {
    section = /^\s*\[([^\]]*)\]\s*$/u.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = section === "core" ? /^\s*worktree\s*=\s*(.*?)\s*$/iu.exec(line)?.[1] : undefined;
    // The last counts, as it does for git.
    if (value !== undefined) found = unquote(value);
  }
  return found;
}

function unquote(value: string): string | undefined {
  const [, inner] = /^"(.*)"$/u.exec(value) ?? [];
  if (inner === undefined) return value === "" || /["\\#;]/u.test(value) ? undefined : value;
  return /^(?:[^"\\]|\\["\\])+$/u.test(inner) ? inner.replaceAll(/\\(.)/gu, "$1") : undefined;
}
