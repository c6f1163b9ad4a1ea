import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFakeEngine } from "skein/testing";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";

/** A workspace with a history. */
export interface Place {
  readonly path: string;
  readonly home: string;
}

/** How many states there are from the beginning of one conversation to that of the next. */
const EACH = 50;
const FILES = 10;

/** Changes a file in each turn, and says so. */
export function createWritingEngine({ path }: Pick<Place, "path">) {
  return createFakeEngine(({ text }) => {
    writeFileSync(join(path, "answer.txt"), `${text}\n`);
    return "Written.";
  });
}

/**
 * Makes a workspace with so many states, as turns of fifty states a conversation would leave them, each with the snapshot that it was made
 * of, and a reward where they are to have one. One real turn is the pattern, and `git fast-import` writes the others: flushed one by one, ten thousand would take minutes.
 */
export async function makeStates(
  root: string,
  states: number,
  { isRewarded = false }: { readonly isRewarded?: boolean } = {},
): Promise<Place> {
  const place = { path: join(root, `w${states}`), home: join(root, `home${states}`) };
  await using workspace = await Workspace.open(place.path, { home: place.home });
  for (let file = 0; file < FILES; file += 1) {
    await writeFile(join(place.path, `file-${file}.ts`), `export const value = ${file};\n`.repeat(30));
  }
  const { gitDirectory } = workspace;
  const pattern = await recordPattern(workspace, place);
  const history = writeHistory(pattern, states);
  const marks = join(root, "marks");
  const git = spawn("git", [`--git-dir=${gitDirectory}`, "fast-import", "--quiet", `--export-marks=${marks}`], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  git.stdin.end(history.script);
  await once(git, "close");
  const ids = history.read(execFileSync("cat", [marks], { encoding: "utf8", maxBuffer: 2 ** 28 }));
  const trees = execFileSync(
    "git",
    [`--git-dir=${gitDirectory}`, "log", "--no-walk=unsorted", "--format=%T", "--stdin"],
    {
      input: ids.snapshots.join("\n"),
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    },
  );
  const refs = trees
    .trim()
    .split("\n")
    .map((tree, at) => `${ids.snapshots[at]} refs/skein/snapshots/${tree}`);
  const named = [...ids.tips].map(([id, tip]) => `${tip} refs/skein/conversations/${id}`);
  // As the store leaves them, which makes one file of refs when there are hundreds.
  const notes = isRewarded ? noteStates(gitDirectory, ids.states) : [];
  const lines = [...new Set([...refs, ...named, ...notes])].toSorted((left, right) =>
    left.slice(41) < right.slice(41) ? -1 : 1,
  );
  await writeFile(
    join(gitDirectory, "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${lines.join("\n")}\n`,
  );
  for (const ref of ["bench/states", "bench/snapshots"]) await rm(join(gitDirectory, "refs", ref), { force: true });
  const [conversationId = "", stateId = ""] = [...ids.tips].at(-1) ?? [];
  await workspace.states.setHead({ stateId, conversationId });
  return place;
}

const VALUES = 1000;

/** The refs of notes that give each state one of a thousand rewards. */
function noteStates(gitDirectory: string, states: readonly string[]): readonly string[] {
  const script = Array.from({ length: VALUES }, (_, value) => {
    const note = `${JSON.stringify({ version: 1, rewards: { score: (value * 7919) % VALUES }, metadata: {} })}\n`;
    return `blob\nmark :${value + 1}\ndata ${Buffer.byteLength(note)}\n${note}\nget-mark :${value + 1}\n`;
  });
  const ids = execFileSync("git", [`--git-dir=${gitDirectory}`, "fast-import", "--quiet"], {
    input: script.join(""),
    encoding: "utf8",
  });
  const blobs = ids.trim().split("\n");
  return states.map((state, at) => `${blobs[at % VALUES]} refs/skein/notes/${state}`);
}

interface Pattern {
  /** The state of a turn, and what it is made of: lines of `git ls-tree`. */
  readonly before: string;
  readonly entries: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
  readonly transition: Readonly<Record<string, unknown>>;
}

async function recordPattern({ gitDirectory, states }: Workspace, { path, home }: Place): Promise<Pattern> {
  await using workspace = await Workspace.open(path, { home });
  await using conversation = await Conversation.start(workspace, { engine: createWritingEngine({ path }) });
  await conversation.send("the first of many");
  const stored = await states.read(conversation.tip?.id ?? "");
  const read = async (name: string): Promise<Readonly<Record<string, unknown>>> =>
    JSON.parse((await states.file(stored, name)) ?? "{}") as Readonly<Record<string, unknown>>;
  const listing = execFileSync("git", [`--git-dir=${gitDirectory}`, "ls-tree", "-r", stored.id], { encoding: "utf8" });
  return {
    before: stored.id,
    entries: listing.trim().split("\n"),
    state: await read("state.json"),
    transition: await read("transition.json"),
  };
}

/** The script for `git fast-import`, and how its marks are read: each turn is a state, odd marks, after its snapshot, even ones. */
function writeHistory({ before, entries, state, transition }: Pattern, states: number) {
  const parts: string[] = [];
  const tips: (readonly [conversationId: string, mark: number])[] = [];
  const files = entries.filter((line) => /\t(?:files\/(?!answer)|files\.meta)/u.test(line));
  const kept = files.map((line) => line.replace(/^(\d+) blob (\w+)\t/u, "M $1 $2 "));
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const put = (path: string, text: string): string => `M 100644 inline ${path}\n${data(text)}`;
  const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;
  for (let index = 0; index < states; index += 1) {
    const turn = (index % EACH) + 1;
    const conversationId = uuid(0x7000, Math.floor(index / EACH));
    const [mark, atSeconds] = [2 * index + 1, 1_790_000_000 + index];
    const recordedAt = new Date(atSeconds * 1000).toISOString();
    const text = `Turn ${turn} of conversation ${conversationId}`;
    const who = `committer Skein <skein@localhost> ${atSeconds} +0000`;
    const answer = put("files/answer.txt", `${text}\n`);
    const prompt = { text, attachments: [] };
    const own = { ...transition, id: uuid(0x7001, index), conversationId, turn, prompt, recordedAt };
    parts.push(
      `commit refs/bench/states\nmark :${mark}\n${who}\n`,
      data(`${text}\n\nKind: turn\nConversation: ${conversationId}\n`),
      index === 0 ? `from ${before}\n` : "",
      turn === 1 ? "D session\n" : "",
      answer,
      put("state.json", json({ ...state, conversationId, turns: turn, recordedAt })),
      put("transition.json", json(own)),
      put(`session/${String(turn).padStart(4, "0")}.jsonl`, segment(own.id, text)),
      "\nreset refs/bench/snapshots\n",
      `commit refs/bench/snapshots\nmark :${mark + 1}\ncommitter Skein <skein@localhost> 0 +0000\ndata 0\n`,
      `${kept.join("\n")}\n${answer}\n`,
    );
    if (turn === EACH || index === states - 1) tips.push([conversationId, mark]);
  }
  const read = (marks: string) => {
    const ids = new Map(marks.split("\n").map((line) => [Number(line.slice(1, -41)), line.slice(-40)]));
    const idOf = (mark: number): string => ids.get(mark) ?? "";
    return {
      states: Array.from({ length: states }, (_, index) => idOf(2 * index + 1)),
      snapshots: Array.from({ length: states }, (_, index) => idOf(2 * index + 2)),
      tips: new Map(tips.map(([id, mark]) => [id, idOf(mark)])),
    };
  };
  return { script: parts.join(""), read };
}

/** A prompt and an answer, as Claude Code writes them. */
function segment(id: string, text: string): string {
  const lines = ["user", "assistant"].map((type) =>
    JSON.stringify({ type, uuid: `${id}-${type}`, message: { role: type, content: `${text}. `.repeat(10) } }),
  );
  return `${lines.join("\n")}\n`;
}

function uuid(kind: number, index: number): string {
  return `01a1f18c-0000-${kind.toString(16)}-8000-${index.toString(16).padStart(12, "0")}`;
}
