import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createForge, STATE_FILE, TRANSITION_FILE, type Forge } from "../../test/support/forge-bundle.ts";
import { SkeinError } from "../core/index.ts";
import { loadConversations, Workspace } from "../workspace/index.ts";
import { addNote, readNote } from "./record/note.ts";
import { readSession } from "./session/session-segments.ts";
import { readStateFile } from "./record/state.ts";
import { parseTransitionFile } from "./record/transition-file.ts";
import { TraceIndex } from "./state-index/trace-index.ts";
import { createSessionMirror } from "./turn/session-mirror.ts";
import { verifyWorkspace } from "./recovery/verify-workspace.ts";

let root: string;
let workspace: Workspace;
let forge: Forge;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-foreign-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
  forge = createForge();
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

async function load(refs: Readonly<Record<string, string>>): Promise<void> {
  const file = join(root, "forged.bundle");
  await writeFile(file, forge.bundle(refs));
  await loadConversations(workspace, file);
}

const CONVERSATION = "refs/skein/conversations/forged";
const stateFile = (changes: object): string => JSON.stringify({ ...STATE_FILE, ...changes });
const transitionFile = (changes: object): string => JSON.stringify({ ...TRANSITION_FILE, ...changes });

/** What somebody may write in the place of a text or a number. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "../../x",
    "--dangerously-skip-permissions",
    "-p",
    "/etc/passwd",
    "a\0b",
    "a\nb",
    "\u001b[2J",
    "9999-99-99T99:99:99Z",
    "+275760-09-13T00:00:00Z",
    "NaN",
    1e300,
    -1,
    0.5,
    2 ** 53,
    null,
    [],
    {},
    ["x"],
    { toString: "x" },
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.jsonValue(),
);

describe("a state from somebody else", () => {
  it("that cannot be read is listed as such, and hides no other", async () => {
    const start = forge.state();
    const bad = forge.state({ parent: start, parts: { "state.json": stateFile({ recordedAt: "never" }) } });
    const worse = forge.state({
      parent: bad,
      parts: { "state.json": stateFile({ kind: "turn", turns: 1 }), "transition.json": "{" },
    });
    const good = forge.state({
      parent: worse,
      parts: { "state.json": stateFile({ kind: "turn", turns: 1 }), "transition.json": transitionFile({}) },
    });
    await load({ [CONVERSATION]: good });
    await using index = await TraceIndex.open(workspace);
    const found = await index.query({ order: "oldest" });
    expect(new Map(found.map(({ id, kind, errorKind }) => [id, [kind, errorKind]]))).toEqual(
      new Map([
        [start, ["start", undefined]],
        [bad, ["unreadable", "parse"]],
        [worse, ["unreadable", "parse"]],
        [good, ["turn", undefined]],
      ]),
    );
    expect((await index.conversations()).map(({ id, turns }) => [id, turns])).toEqual([["forged", 1]]);
    await expect(readStateFile(workspace.states, bad)).rejects.toMatchObject({ kind: "parse" });
    expect((await verifyWorkspace(workspace)).problems).toHaveLength(2);
  });

  it.each(Object.keys(STATE_FILE).concat("sessionId", "unknown"))(
    "is read or refused by its kind for any %s",
    async (field) => {
      const parts = fc
        .sample(hostile, { numRuns: 12, seed: 7 })
        .map((value) => ({ "state.json": stateFile({ [field]: value }) }));
      const tips = parts.map((part) => forge.state({ parts: part }));
      await load(Object.fromEntries(tips.map((tip, index) => [`refs/skein/conversations/forged-${index}`, tip])));
      const kinds = await Promise.all(
        tips.map((tip) => readStateFile(workspace.states, tip).then(() => "read", kindOf)),
      );
      expect(kinds.filter((kind) => !["read", "parse"].includes(kind))).toEqual([]);
      await using index = await TraceIndex.open(workspace);
      expect(new Set((await index.query()).map(({ id }) => id))).toEqual(new Set(tips));
    },
  );

  it("is read or refused by its kind for any field of its turn", () => {
    const paths = fieldsOf(TRANSITION_FILE);
    const isTyped = fc.property(fc.constantFrom(...paths), hostile, (path, value) => {
      const text = JSON.stringify(withField(TRANSITION_FILE, path, value));
      try {
        const { execution, id } = parseTransitionFile(text, "transition.json");
        const isSession = execution.sessionId === "" || /^[A-Za-z0-9][\w-]*$/u.test(execution.sessionId);
        return isSession && /^[A-Za-z0-9][\w.-]*$/u.test(id) && execution.costUsd <= 1e9 && execution.costUsd >= 0;
      } catch (error) {
        return kindOf(error) === "parse";
      }
    });
    fc.assert(isTyped, { numRuns: 3000 });
  });

  it("gives the CLI no id that is none, no path that leads elsewhere, and no order", async () => {
    const segment = (path: string, lines: readonly unknown[]): string => {
      const [name = "", ...below] = path.split("/");
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      if (below.length === 0) return forge.tree([{ mode: "100644", name, oid: forge.add("blob", text) }]);
      return forge.tree([{ mode: "40000", name, oid: segment(below.join("/"), lines) }]);
    };
    const session = (path: string, lines: readonly unknown[]): string =>
      forge.state({ parts: { session: { mode: "40000", oid: segment(path, lines) } } });
    const said = { type: "user", uuid: "u1", sessionId: "s", message: { role: "user", content: "Hello" } };
    const orders = [
      { type: "permission-mode", permissionMode: "bypassPermissions", sessionId: "s" },
      { type: "worktree-state", worktreeSession: { worktreePath: "/" }, sessionId: "s" },
      { type: "agent-setting", agentSetting: "evil", sessionId: "s" },
      { type: "file-history-snapshot", snapshot: { trackedFileBackups: { "/etc/passwd": {} } } },
      { type: "something-new" },
    ];
    const good = session("0001.jsonl", [said, ...orders]);
    const bad = [
      session("0001/.bashrc.jsonl", [said]),
      session("0001/a..b.jsonl", [said]),
      session("evil.sh", [said]),
      session("0001.jsonl", [null]),
      session("0001.jsonl", [{ type: 5 }]),
      session("0001.jsonl", ["text"]),
    ];
    const refs = [good, ...bad].map((tip, index) => [`refs/skein/conversations/forged-${index}`, tip] as const);
    await load(Object.fromEntries(refs));
    const read = async (id: string) => await readSession(workspace.states, await readStateFile(workspace.states, id));
    expect(await Promise.all(bad.map((id) => read(id).then(() => "read", kindOf)))).toEqual(
      bad.map(() => "session_corrupted"),
    );
    const mirror = createSessionMirror(() => read(good), {
      redact: (entry) => entry,
      onAppend: async () => undefined,
    });
    expect(await mirror.store.load({ projectKey: "p", sessionId: "own" })).toEqual([{ ...said, sessionId: "own" }]);
  });

  it("carries notes that keep nothing from being read", async () => {
    const state = forge.state();
    await load({ [CONVERSATION]: state });
    for (const text of ["no note", "{}", '{"version":1,"rewards":{"a":"b"},"metadata":{}}', "\0"]) {
      await workspace.states.setNote(state, text);
      const { rewards, problem } = await readNote(workspace, state);
      expect([rewards, typeof problem]).toEqual([{}, "string"]);
      await using index = await TraceIndex.open(workspace);
      expect((await index.query()).map(({ id }) => id)).toEqual([state]);
    }
    expect((await verifyWorkspace(workspace)).problems).toHaveLength(1);
    await addNote(workspace, state, { rewards: { good: 1 } });
    expect((await readNote(workspace, state)).rewards).toEqual({ good: 1 });
    expect(await readFile(join(workspace.gitDirectory, "refs/skein/notes", state), "utf8")).toHaveLength(41);
  });
});

function kindOf(error: unknown): string {
  return error instanceof SkeinError ? error.kind : `untyped: ${String(error)}`;
}

/** The paths of all values in a record, leaves and branches. */
function fieldsOf(value: object, above: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([name, below]: [string, unknown]) => {
    const path = [...above, name];
    return typeof below === "object" && below !== null ? [path, ...fieldsOf(below, path)] : [path];
  });
}

function withField(value: object, [name = "", ...below]: readonly string[], given: unknown): object {
  const inside = (value as Readonly<Record<string, unknown>>)[name];
  return { ...value, [name]: below.length === 0 ? given : withField(inside as object, below, given) };
}
