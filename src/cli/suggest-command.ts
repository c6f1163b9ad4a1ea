import { ownValue } from "../core/internal.ts";

/** What other tools call it, and what it is called here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ask: 'skein run "…"',
  chat: 'skein run "…"',
  exec: 'skein run "…"',
  prompt: 'skein run "…"',
  continue: 'skein run "…" --continue',
  resume: 'skein run "…" --continue',
  back: "skein undo",
  revert: "skein undo",
  rollback: "skein undo",
  checkout: "skein restore",
  reset: "skein restore",
  switch: "skein restore",
  fork: "skein branch",
  merge: "skein adopt",
  pick: "skein adopt",
  commit: "skein checkpoint",
  tag: "skein checkpoint",
  history: "skein log",
  list: "skein log",
  ls: "skein log",
  grep: "skein search",
  find: "skein search",
  cost: "skein stats",
  usage: "skein stats",
  setup: "skein init",
  start: "skein init",
  clean: "skein gc",
  fsck: "skein verify",
  fetch: "skein pull",
  import: 'skein run "…" --import',
  version: "skein --version",
  settings: "skein config",
  completions: "skein completion",
};

/** The command here for a word that another tool has for it. */
export function commandFor(typed: string | undefined): string | undefined {
  return ownValue(OTHER_WORDS, typed ?? "");
}
