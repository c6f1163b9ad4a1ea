import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, linesOf, prompt, writeTranscript } from "../../../test/support/write-history.ts";
import type { OpenTranscriptsOptions } from "../totals/open-transcripts.ts";
import type { RefreshProgress, RefreshReport } from "../totals/transcript-totals.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

let root: string;
let base: string;
let index: TranscriptIndex;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-transcript-index-"));
  base = join(root, "projects");
  index = await open();
});

afterEach(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

function open(options: OpenTranscriptsOptions = {}): Promise<TranscriptIndex> {
  return openTranscriptIndex({ home: join(root, "home"), transcriptsHome: base, ...options });
}

const at = { sessionId: "s1" };
const first = [prompt("p1", "find the needle", at), answer("a1", "it lies here", at)];
const path = (name = "s1"): string => join(base, "-work-app", `${name}.jsonl`);

/** What was read, without the time that it took. */
async function refresh(): Promise<Partial<RefreshReport>> {
  const { filesRead, filesReread, filesPurged, linesRead, bytesRead, brokenLines } = await index.refresh();
  return { filesRead, filesReread, filesPurged, linesRead, bytesRead, brokenLines };
}

/** Root may read everything, and so is somebody else for a while. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await work();
  for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(root, name), NOBODY, NOBODY);
  }
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;

const NOTHING = { filesRead: 0, filesReread: 0, filesPurged: 0, linesRead: 0, bytesRead: 0, brokenLines: 0 };

async function found(words: string): Promise<readonly (string | undefined)[]> {
  const { hits } = await index.search(words);
  return hits.map(({ snippet }) => snippet?.text);
}

describe("a refresh", () => {
  it("reads everything once, then nothing, then one line where one line was added", async () => {
    writeTranscript(path(), first);
    const size = Buffer.byteLength(linesOf(first));
    expect(await refresh()).toEqual({ ...NOTHING, filesRead: 1, linesRead: 2, bytesRead: size });
    expect(await refresh()).toEqual(NOTHING);
    const line = linesOf([prompt("p2", "and the thread", at)]);
    appendFileSync(path(), line);
    expect(await refresh()).toEqual({ ...NOTHING, filesRead: 1, linesRead: 1, bytesRead: line.length });
    expect(await found("thread")).toEqual(["and the thread"]);
    expect((await index.session("s1")).prompts).toBe(2);
  });

  it("leaves half a line for the time when it is whole", async () => {
    writeTranscript(path(), first);
    await refresh();
    const line = linesOf([prompt("p2", "in two halves", at)]);
    appendFileSync(path(), line.slice(0, 50));
    expect(await refresh()).toEqual(NOTHING);
    expect(await refresh()).toEqual(NOTHING);
    appendFileSync(path(), line.slice(50));
    expect(await refresh()).toMatchObject({ filesRead: 1, linesRead: 1, brokenLines: 0 });
    expect(await found("halves")).toEqual(["in two halves"]);
  });

  it.each([
    ["cut short", () => truncateSync(path(), linesOf(first.slice(0, 1)).length)],
    [
      "replaced by another of the same name",
      () => {
        writeTranscript(`${path()}.new`, [first[0], prompt("p9", "something else entirely", at), first[0]]);
        renameSync(`${path()}.new`, path());
      },
    ],
    [
      "written anew in place, longer than before",
      () =>
        writeFileSync(
          path(),
          linesOf([prompt("p8", "another beginning", at), ...first.slice(0, 1), first[0], first[0]]),
        ),
    ],
    [
      "written anew in place with the same beginning",
      () => writeFileSync(path(), linesOf([first[0], prompt("p7", "x".repeat(5000), at)])),
    ],
  ])("reads a file again that was %s", async (_how, change) => {
    writeTranscript(path(), first);
    await refresh();
    expect(await found("lies")).toEqual(["it lies here"]);
    change();
    expect(await refresh()).toMatchObject({ filesRead: 1, filesReread: 1 });
    expect([await found("lies"), await found("needle")]).toEqual([[], ["find the needle"]]);
    expect(await refresh()).toEqual(NOTHING);
  });

  it("passes over broken lines and counts them", async () => {
    writeTranscript(path(), first);
    appendFileSync(path(), `{"type":"user","uuid":\n${linesOf([prompt("p2", "after the damage", at)])}`);
    expect(await refresh()).toMatchObject({ linesRead: 4, brokenLines: 1 });
    expect(await found("damage")).toEqual(["after the damage"]);
  });

  it("lists what cannot be read, and reads the rest", async () => {
    writeTranscript(path(), first);
    symlinkSync(path("loop"), path("loop"));
    symlinkSync(join(base, "-work-app"), join(base, "-work-linked"));
    mkdirSync(path("folder"));
    const { files, skipped } = await index.refresh();
    expect([files, skipped.map(({ path: place, code }) => [place, code])]).toEqual([1, [[path("loop"), "ELOOP"]]]);
    expect((await index.sessions()).totals.sessions).toBe(1);
  });

  it("lists a file that may not be read, and reads it when it may", async () => {
    writeTranscript(path(), first);
    chmodSync(path(), 0);
    const { skipped } = await asOrdinaryUser(() => index.refresh());
    expect(skipped).toMatchObject([{ path: path(), code: "EACCES" }]);
    expect((await index.sessions()).sessions).toEqual([]);
    chmodSync(path(), 0o600);
    expect(await refresh()).toMatchObject({ filesRead: 1, linesRead: 2 });
  });

  it("lists a file that is deleted before its turn, and knows no words of it", async () => {
    writeTranscript(path(), first);
    writeTranscript(path("s2"), [prompt("z1", "soon gone", { sessionId: "s2" })]);
    utimesSync(path(), 1, 1);
    const { skipped, linesRead, missing } = await index.refresh({
      onProgress: ({ step }) => void (step === "indexing" && rmSync(path("s2"), { force: true })),
    });
    expect([linesRead, skipped.map(({ path: place, code }) => [place, code])]).toEqual([2, [[path("s2"), "ENOENT"]]]);
    expect(missing.files).toBe(1);
    expect(await refresh()).toEqual({ ...NOTHING, filesPurged: 1 });
    expect([await found("gone"), await found("needle")]).toEqual([[], ["find the needle"]]);
    expect((await index.search("gone")).missing).toEqual({ files: 0, bytes: 0 });
  });

  it("needs no more than to read in Claude Code's folder, and one that is not there is empty", async () => {
    expect(await refresh()).toEqual(NOTHING);
    writeTranscript(path(), first);
    chmodSync(join(base, "-work-app"), 0o555);
    chmodSync(path(), 0o444);
    expect(await refresh()).toMatchObject({ filesRead: 1 });
    chmodSync(join(base, "-work-app"), 0o755);
    expect(readdirSync(join(base, "-work-app"))).toEqual(["s1.jsonl"]);
  });

  it("tells how far it is, and can be stopped and gone on with", async () => {
    const many = Array.from({ length: 5000 }, (_, n) => prompt(`p${n}`, `word${n} ${"x".repeat(500)}`, at));
    writeTranscript(path(), many);
    const stop = new AbortController();
    const onProgress = ({ step }: RefreshProgress): void => void (step === "indexing" && stop.abort());
    await expect(index.refresh({ signal: stop.signal, onProgress })).rejects.toMatchObject({ kind: "cancelled" });
    const { missing, hits } = await index.search("word1");
    expect([missing.files, hits.length, missing.bytes < statSync(path()).size]).toEqual([1, 1, true]);
    const told: number[] = [];
    const rest = await index.refresh({ onProgress: ({ bytesDone, bytes }) => told.push(bytesDone / bytes) });
    expect([rest.bytesRead, rest.filesReread, rest.missing]).toEqual([missing.bytes, 0, { files: 0, bytes: 0 }]);
    expect([told.at(-1), told.toSorted((left, right) => left - right)]).toEqual([1, told]);
    for (const n of [0, 2500, 4999]) expect(await found(`word${n}`)).toEqual([expect.stringMatching(`^word${n} x`)]);
    await expect(index.refresh({ signal: stop.signal })).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("a transcript that Claude Code has deleted", () => {
  it("stays with its numbers, is found, and can be read from its copy", async () => {
    await index.archive();
    writeTranscript(path(), first);
    writeTranscript(join(base, "-work-app", "s1", "subagents", "agent-x.jsonl"), [
      prompt("q1", "go and look", { ...at, isSidechain: true, agentId: "x" }),
    ]);
    await refresh();
    appendFileSync(path(), linesOf([prompt("p2", "a later needle", at)]));
    await refresh();
    const before = await index.session("s1");
    rmSync(join(base, "-work-app"), { recursive: true });
    expect(await refresh()).toEqual({ ...NOTHING, filesPurged: 2 });
    expect(await refresh()).toEqual({ ...NOTHING, filesPurged: 2 });
    const files = before.files.map((file) => ({ ...file, isPurged: true }));
    expect(await index.session("s1")).toEqual({ ...before, isPurged: true, files });
    expect(new Set(await found("needle"))).toEqual(new Set(["a later needle", "find the needle"]));
    const copies = await index.copyKept("s1", join(root, "copies"));
    expect(copies).toEqual([join(root, "copies", "-work-app", "s1.jsonl")]);
    cpSync(join(root, "copies"), base, { recursive: true });
    expect(await refresh()).toMatchObject({ filesPurged: 0, filesReread: 2, linesRead: 4 });
    expect((await index.session("s1")).isPurged).toBe(false);
  });

  it("is known to a new index, from its copy", async () => {
    await index.archive();
    writeTranscript(path(), first);
    writeTranscript(path("s2"), [prompt("z1", "still there", { sessionId: "s2" })]);
    await refresh();
    rmSync(path());
    await refresh();
    const before = await index.session("s1");
    await index.close();
    const [folder = ""] = readdirSync(join(root, "home", "transcripts"));
    for (const name of readdirSync(join(root, "home", "transcripts", folder))) {
      if (name.startsWith("search") || name === "totals.bin") rmSync(join(root, "home", "transcripts", folder, name));
    }
    index = await open();
    expect((await index.sessions()).sessions).toEqual([]);
    await refresh();
    const after = await index.session("s1");
    expect({ ...after, files: [] }).toEqual({ ...before, files: [] });
    expect(after.files).toMatchObject([{ isPurged: true, isKept: true }]);
    expect(await found("needle")).toEqual(["find the needle"]);
    expect(await index.copyKept("s1", join(root, "copies"))).toHaveLength(1);
  });

  it("is found without its text where no copy was kept", async () => {
    writeTranscript(path(), first);
    await refresh();
    rmSync(path());
    await refresh();
    expect(await found("needle")).toEqual([undefined]);
    expect((await index.session("s1")).messages).toBe(2);
    await expect(index.copyKept("s1", join(root, "copies"))).rejects.toMatchObject({ kind: "usage", target: path() });
  });

  it("is kept from the time on when copies are wanted", async () => {
    writeTranscript(path(), first);
    await refresh();
    const { size } = statSync(path());
    expect(await index.archive()).toMatchObject({
      isOn: true,
      transcripts: 1,
      transcriptBytes: size,
      copied: 1,
      copies: 1,
    });
    expect(await index.archive()).toMatchObject({ copied: 0, copies: 1 });
    expect(await index.archive({ isOn: false })).toMatchObject({ isOn: false, copied: 0, copies: 1 });
    rmSync(path());
    await refresh();
    expect(await found("needle")).toEqual(["find the needle"]);
  });
});

describe("an index that is damaged", () => {
  it.each([0, 16_384 * 3])("is made anew of the files, where byte %i and all after it are nonsense", async (from) => {
    const many = Array.from({ length: 300 }, (_, n) => prompt(`p${n}`, `a needle and ${"hay ".repeat(50)}`, at));
    writeTranscript(path(), many);
    await refresh();
    await index.close();
    const [folder = ""] = readdirSync(join(root, "home", "transcripts"));
    const file = join(root, "home", "transcripts", folder, "search.sqlite");
    writeFileSync(file, readFileSync(file).fill(0x5a, from));
    const again = async (): Promise<number> => {
      index = await open();
      await index.refresh();
      return (await index.search("needle", { limit: 500 })).hits.length;
    };
    expect(await again().catch(again)).toBe(300);
  });
});
