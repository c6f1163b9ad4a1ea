import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** One line of a tree, as somebody may write it. */
export interface ForgedEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

/** Objects that no git and no Skein checked, and the file in which they are sent. */
export interface Forge {
  add(type: "blob" | "tree" | "commit", content: string | Buffer): string;
  /** The entries in the order that is given, whatever they are. */
  tree(entries: readonly ForgedEntry[]): string;
  /** A state: a usual one, but for the parts that are given; null leaves one out. */
  state(parts?: ForgedState): string;
  /** A git bundle with these names. */
  bundle(refs: Readonly<Record<string, string>>): Buffer;
}

/** What differs from a usual state. */
export interface ForgedState {
  readonly parent?: string;
  readonly message?: string;
  readonly committer?: string;
  /** The entries of its tree by name: a text for a file, an entry for anything else, null for none. */
  readonly parts?: Readonly<Record<string, string | Omit<ForgedEntry, "name"> | null>> | undefined;
}

/** Makes a forge. */
export function createForge(): Forge {
  const objects = new Map<string, { readonly type: string; readonly content: Buffer }>();
  const add: Forge["add"] = (type, given) => {
    const content = Buffer.from(given as string);
    const oid = createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
    objects.set(oid, { type, content });
    return oid;
  };
  const tree: Forge["tree"] = (entries) =>
    add(
      "tree",
      Buffer.concat(
        entries.map(({ mode, name, oid }) =>
          Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]),
        ),
      ),
    );
  return {
    add,
    tree,
    state({ parent, message = "A prompt", committer = "Skein <skein@localhost> 1700000000 +0000", parts = {} } = {}) {
      const usual = { "files.meta": "skein-files 1 f644 x755 d755\0", "state.json": JSON.stringify(STATE_FILE) };
      const all: NonNullable<ForgedState["parts"]> = { ...usual, ...parts };
      const entries = Object.entries(all).flatMap(([name, part]) => {
        if (part === null) return [];
        return [typeof part === "string" ? { name, mode: "100644", oid: add("blob", part) } : { name, ...part }];
      });
      const sorted = entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
      const above = parent === undefined ? "" : `parent ${parent}\n`;
      return add("commit", `tree ${tree(sorted)}\n${above}author ${committer}\ncommitter ${committer}\n\n${message}\n`);
    },
    bundle(refs) {
      const lines = Object.entries(refs).map(([ref, oid]) => `${oid} ${ref}\n`);
      return Buffer.concat([Buffer.from(`# v2 git bundle\n${lines.join("")}\n`), packOf([...objects.values()])]);
    },
  };
}

/** The `state.json` of a usual state. */
export const STATE_FILE = {
  version: 1,
  kind: "start",
  conversationId: "forged",
  recordedAt: "2026-11-15T06:00:00.000Z",
  turns: 0,
  settings: {},
  leftOut: [],
  moved: [],
} as const;

/** The `transition.json` of a usual turn. */
export const TRANSITION_FILE = {
  version: 1,
  id: "0193-transition",
  conversationId: "forged",
  turn: 1,
  prompt: { text: "Do it", attachments: [] },
  execution: {
    response: "Done",
    sessionId: "11111111-2222-4333-8444-555555555555",
    model: "a-model",
    outcome: "completed",
    isError: false,
    costUsd: 0.01,
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    usageByModel: {},
    durationMs: 5,
    responses: 1,
    startedAt: "2026-11-15T06:00:00.000Z",
    permissionDenials: [],
    tools: [],
    ledger: { source: "result", isLowerBound: false, subagents: {}, mismatches: [] },
  },
  recordedAt: "2026-11-15T06:00:00.000Z",
  metadata: {},
  rewards: {},
} as const;

const TYPES: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3 };

function packOf(objects: readonly { readonly type: string; readonly content: Buffer }[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([
    head,
    ...objects.flatMap(({ type, content }) => [entryHead(TYPES[type] ?? 3, content.length), deflateSync(content)]),
  ]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** The type and the size, seven bits a byte behind the first four. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, left & 127);
  }
  return Buffer.from(bytes);
}
