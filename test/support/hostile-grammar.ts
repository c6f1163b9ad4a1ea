import { createForge, STATE_FILE, TRANSITION_FILE, type Forge, type ForgedEntry } from "./forge-bundle.ts";

/** A bundle that somebody made to do harm, and the conversation that it pretends to be. */
export interface HostileBundle {
  readonly content: Buffer;
  readonly conversationId: string;
}

/** Makes the bundle of a number: the same one for the same number. */
export function hostileBundle(seed: number): HostileBundle {
  const random = createRandom(seed);
  const forge = createForge();
  const make: Making = {
    malice: [0.03, 0.1, 0.3][seed % 3] ?? 0.1,
    random,
    forge,
    pick: (some) => some[Math.floor(random() * some.length)] as (typeof some)[number],
  };
  const conversationId = random() < 0.9 ? `forged-${seed}` : make.pick(NAMES);
  let tip: string | undefined;
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) tip = stateOf(make, tip);
  const content = forge.bundle({ [`refs/skein/conversations/${conversationId}`]: tip ?? "" });
  return { content: random() < 0.05 ? spoiled(make, content) : content, conversationId };
}

interface Making {
  /** How likely each part is to be bad: where all are, the first check ends it, and the others are never met. */
  readonly malice: number;
  readonly random: () => number;
  readonly forge: Forge;
  readonly pick: <T>(some: readonly T[]) => T;
}

const NAMES = [
  "..",
  ".",
  ".git",
  ".GIT",
  ".g\u200cit",
  "",
  "a/b",
  "../x",
  "/etc/x",
  "-rf",
  "a\nb",
  "x".repeat(300),
  "a",
  "files",
  "HEAD",
  "@",
];
const OUTSIDE = ["../../outside", "/tmp/skein-owned", "../.git/hooks/post-checkout", ".git/config", "..", "/", ".", ""];
const MODES = ["100644", "100755", "120000", "40000", "160000", "104755", "0", "040000", "100664", "garbage"];
const VALUES: readonly unknown[] = [
  ...OUTSIDE,
  "--dangerously-skip-permissions",
  "a\0b",
  "\u001b]0;x\u0007",
  "9999-99-99",
  "x".repeat(5000),
  "__proto__",
  null,
  true,
  -1,
  0,
  1e300,
  0.5,
  [],
  {},
  [[[[]]]],
  { a: { b: { c: 1 } } },
];
const UNFINISHED = [
  "rebase-merge/./../config",
  "rebase-merge/x/../../../../outside",
  "rebase-merge/../hooks/post-checkout",
  "sequencer/../../outside",
  "config",
  "hooks/post-checkout",
  "MERGE_HEAD",
  "MERGE_MSG",
  "rebase-merge/git-rebase-todo",
  "rebase-merge/done",
  "rebase-apply/0001",
];

function stateOf(make: Making, parent: string | undefined): string {
  const { random, forge, pick } = make;
  const parts: Record<string, string | Omit<ForgedEntry, "name"> | null> = {};
  const isTurn = parent !== undefined && random() < 0.6;
  const change = (file: object): string => JSON.stringify(random() < make.malice ? withHostile(make, file) : file);
  parts["state.json"] = change({ ...STATE_FILE, ...(isTurn ? { kind: "turn", turns: 1 } : {}) });
  if (isTurn) parts["transition.json"] = change(TRANSITION_FILE);
  parts["files"] = { mode: "40000", oid: treeOf(make, Math.floor(random() * 5)) };
  if (random() < make.malice) parts["files.meta"] = metaOf(make);
  if (random() < make.malice) parts["git.json"] = gitOf(make);
  if (random() < make.malice) parts["git-index"] = indexOf(make);
  if (random() < make.malice) parts["git-objects"] = { mode: "40000", oid: treeOf(make, 1) };
  if (random() < 0.4) parts["session"] = { mode: "40000", oid: sessionOf(make) };
  if (random() < make.malice / 3) parts[pick(NAMES) || "x"] = "extra";
  if (random() < make.malice / 5) parts[pick(["state.json", "files.meta", "files"])] = null;
  if (random() < make.malice / 5) parts["files"] = { mode: "40000", oid: bombOf(make) };
  if (random() < 0.05)
    parts[pick(["files", "session", "git.json"])] = { mode: pick(MODES), oid: forge.add("blob", "x") };
  const committer = random() < 0.1 ? `Skein <x> ${pick([-1, 1e18, "x"])} +0000` : undefined;
  return forge.state({ ...(parent === undefined ? {} : { parent }), parts, ...(committer ? { committer } : {}) });
}

function treeOf(make: Making, depth: number): string {
  const { random, forge, pick } = make;
  const entries: ForgedEntry[] = [];
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const name = random() < make.malice / 3 ? pick(NAMES) : `name-${Math.floor(random() * 3)}`;
    const kind = random();
    const mode = random() < make.malice / 6 ? pick(MODES) : kind < 0.5 ? "100644" : kind < 0.7 ? "120000" : "40000";
    const content =
      mode === "120000"
        ? pick([...OUTSIDE.filter(Boolean), "name-1", "../workspace"])
        : `content ${Math.floor(random() * 9)}`;
    const oid =
      mode === "40000" && depth > 0
        ? treeOf(make, depth - 1)
        : mode === "40000"
          ? forge.tree([])
          : forge.add("blob", content);
    entries.push({ mode, name, oid });
  }
  if (random() > make.malice / 6) return forge.tree(sorted(entries));
  return random() < 0.5 ? forge.tree(entries) : forge.add("tree", "100644 short\0xx");
}

/** A link and a folder under one name, as git would sort them, and each name once most of the time. */
function sorted(entries: readonly ForgedEntry[]): readonly ForgedEntry[] {
  const isOnce = entries.length !== 3;
  const sortName = (entry: ForgedEntry): string => `${entry.name}${entry.mode === "40000" ? "/" : ""}`;
  const byName = new Map(entries.map((entry) => [isOnce ? entry.name : sortName(entry), entry]));
  return [...byName]
    .map(([, entry]) => [sortName(entry), entry] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, entry]) => entry);
}

function bombOf({ forge, random }: Making): string {
  let oid = forge.tree([{ mode: "100644", name: "file", oid: forge.add("blob", "x") }]);
  const width = random() < 0.5 ? 1 : 12;
  const depth = width === 1 ? 1500 : 12;
  for (let level = 0; level < depth; level += 1) {
    oid = forge.tree(
      Array.from({ length: width }, (_, at) => ({ mode: "40000", name: `folder-${String(at).padStart(2, "0")}`, oid })),
    );
  }
  return oid;
}

function metaOf({ pick, random }: Making): string {
  const lines = Array.from(
    { length: Math.floor(random() * 4) },
    () =>
      `${pick(["4755", "6777", "1777", "600", "empty", "x", "99999"])} ${pick([...OUTSIDE, "name-0", "name-1/name-2"])}\0`,
  );
  return `skein-files 1 ${pick(["f644 x755 d755", "f4755 x6755 d777", "f x d", "f99999 x1 d1"])}\0${lines.join("")}`;
}

function gitOf(make: Making): string {
  const { pick, random } = make;
  const content = pick(["touch /tmp/skein-owned\n", "exec touch /tmp/skein-owned\n", `${"a".repeat(40)}\n`, "x"]);
  const unfinished = random() < 0.7 ? { [pick(UNFINISHED)]: content } : undefined;
  const file = { version: 1, branch: "refs/heads/main", detached: false, ...(unfinished ? { unfinished } : {}) };
  return random() < 0.1 ? "{" : JSON.stringify(random() < 0.4 ? withHostile(make, file) : file);
}

function indexOf({ pick, random, forge }: Making): string {
  const lines = Array.from({ length: Math.floor(random() * 4) }, () => {
    const oid = random() < 0.8 ? forge.add("blob", "staged") : "x";
    return `${pick(["H", "S", "M", "N", "h", "?"])} ${pick(MODES)} ${oid} ${pick([0, 0, 0, 1, 3, 7])}\t${pick([...OUTSIDE, "a", "b", "name-0"])}\0`;
  });
  return lines.join("");
}

function sessionOf({ pick, random, forge }: Making): string {
  const line = pick([
    '{"type":"user","message":{"role":"user","content":"x"}}',
    '{"type":"permission-mode"}',
    "null",
    "5",
    "{",
    '{"type":7}',
  ]);
  const file = { mode: "100644", oid: forge.add("blob", `${line}\n`) };
  const name = random() < 0.7 ? "0001.jsonl" : pick([...NAMES, "0001", "x.jsonl"]);
  return random() < 0.7
    ? forge.tree([{ ...file, name }])
    : forge.tree([{ mode: "40000", name: "0001", oid: forge.tree([{ ...file, name }]) }]);
}

function withHostile({ pick }: Making, file: object): object {
  const field = pick([...Object.keys(file), "unknown"]);
  return { ...file, [field]: pick(VALUES) };
}

function spoiled({ random }: Making, content: Buffer): Buffer {
  const copy = Buffer.from(content);
  copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  return random() < 0.5 ? copy : copy.subarray(0, Math.floor(random() * copy.length));
}

/** Mulberry32: small, and good enough to wander about. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_769;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
