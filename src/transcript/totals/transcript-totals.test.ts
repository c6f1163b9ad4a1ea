import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, linesOf, prompt, writeTranscript } from "../../../test/support/write-history.ts";
import { openTranscriptTotals } from "./open-transcripts.ts";
import type { TranscriptTotals } from "./transcript-totals.ts";

let root: string;
let base: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-totals-"));
  base = join(root, "projects");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A process of its own, as far as what it remembers goes. */
function open(options = {}): Promise<TranscriptTotals> {
  return openTranscriptTotals({ home: join(root, "home"), transcriptsHome: base, ...options });
}

const at = { sessionId: "s1" };
const path = (name = "s1"): string => join(base, "-work-app", `${name}.jsonl`);
const first = [prompt("p1", "find it", at), answer("a1", "it is here", { ...at, output: 10 })];

async function look(): Promise<{ readonly filesRead: number; readonly bytesRead: number; readonly output: number }> {
  await using totals = await open();
  const { filesRead, bytesRead } = await totals.refresh();
  return { filesRead, bytesRead, output: (await totals.sessions()).totals.usage.outputTokens };
}

function ledger(): string {
  const folder = join(root, "home", "transcripts");
  return join(folder, readdirSync(folder)[0] ?? "", "totals.bin");
}

describe("totals", () => {
  it("cost what changed: all the first time, then nothing, then one line", async () => {
    writeTranscript(path(), first);
    writeTranscript(path("other"), [answer("o1", "more", { sessionId: "other", output: 5 })]);
    const { size } = statSync(path());
    expect(await look()).toEqual({ filesRead: 2, bytesRead: size + statSync(path("other")).size, output: 15 });
    expect(await look()).toEqual({ filesRead: 0, bytesRead: 0, output: 15 });
    const line = linesOf([answer("a2", "and here", { ...at, output: 7 })]);
    appendFileSync(path(), line);
    expect(await look()).toEqual({ filesRead: 1, bytesRead: line.length, output: 22 });
  });

  it("are right where a file is written in place, to the same size, and its time set back", async () => {
    writeTranscript(path(), first);
    const { atime, mtime } = statSync(path());
    expect((await look()).output).toBe(10);
    writeFileSync(path(), readFileSync(path(), "utf8").replace('"output_tokens":10', '"output_tokens":99'));
    utimesSync(path(), atime, mtime);
    expect((await look()).output).toBe(99);
  });

  it("are right where a file is cut, and where another takes its place", async () => {
    writeTranscript(path(), first);
    appendFileSync(path(), linesOf([answer("a2", "and here", { ...at, output: 7 })]));
    expect((await look()).output).toBe(17);
    writeTranscript(path(), first);
    expect((await look()).output).toBe(10);
    rmSync(path());
    writeTranscript(path(), [...first, answer("z", "another one", { ...at, output: 100 }), ...first]);
    expect((await look()).output).toBe(110);
  });

  it("count once what a resumed session and a fork repeat, whichever was read first", async () => {
    writeTranscript(path("fork"), [...first, answer("f1", "on", { sessionId: "fork", output: 3 })]);
    expect((await look()).output).toBe(13);
    writeTranscript(path(), [...first, answer("a9", "also on", { ...at, output: 4 })]);
    expect((await look()).output).toBe(17);
    rmSync(path("fork"));
    expect((await look()).output).toBe(17);
  });

  it("keep the numbers of what Claude Code has deleted", async () => {
    writeTranscript(path(), first);
    await look();
    rmSync(path());
    expect((await look()).output).toBe(10);
    await using totals = await open();
    expect((await totals.refresh()).filesPurged).toBe(1);
    expect((await totals.sessions()).sessions.map(({ id, isPurged }) => [id, isPurged])).toEqual([["s1", true]]);
    await expect(totals.copyKept("s1", join(root, "out"))).rejects.toMatchObject({ kind: "usage", target: path() });
  });
});

describe("the file of the totals", () => {
  it("is its owner's alone, and made anew where it is junk, cut, changed, or of another version", async () => {
    writeTranscript(path(), first);
    await look();
    expect(statSync(ledger()).mode & 0o777).toBe(0o600);
    const whole = readFileSync(ledger());
    const other = Buffer.from(whole);
    other[7] = (other[7] ?? 0) + 1;
    const changed = Buffer.from(whole);
    changed[whole.length - 3] = (changed[whole.length - 3] ?? 0) ^ 1;
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("junk"),
      whole.subarray(0, 100),
      whole.subarray(0, -8),
      other,
      changed,
    ]) {
      writeFileSync(ledger(), bytes);
      expect(await look()).toMatchObject({ filesRead: 1, output: 10 });
      expect(await look()).toMatchObject({ filesRead: 0, output: 10 });
    }
  });

  it("may not be writable: then everything is read each time", async () => {
    writeTranscript(path(), first);
    await look();
    rmSync(ledger());
    // A folder in its place: nobody can write there, root neither.
    writeTranscript(join(ledger(), "in-the-way"), []);
    expect(await look()).toMatchObject({ filesRead: 1, output: 10 });
    expect(await look()).toMatchObject({ filesRead: 1, output: 10 });
    chmodSync(ledger(), 0o700);
  });

  it("keeps what each of two processes knows that look at once, and leaves nothing beside it", async () => {
    writeTranscript(path(), first);
    await using one = await open();
    await one.refresh();
    writeTranscript(path("other"), [answer("o1", "more", { sessionId: "other", output: 5 })]);
    await look();
    rmSync(path("other"));
    appendFileSync(path(), linesOf([answer("a2", "and here", { ...at, output: 7 })]));
    await one.refresh();
    expect((await look()).output).toBe(22);
    await Promise.all([look(), look(), look()]);
    expect(readdirSync(join(ledger(), "..")).toSorted()).toEqual(["totals.bin"]);
  });
});

describe("copies of transcripts", () => {
  it("are kept where that is wanted, and are all that is needed when the rest is lost", async () => {
    writeTranscript(path(), first);
    await using totals = await open({ keepTranscripts: true });
    await totals.refresh();
    rmSync(path());
    rmSync(ledger());
    expect(await look()).toMatchObject({ output: 10 });
    await using later = await open();
    const { files } = await later.session("s1");
    expect(files.map(({ isPurged, isKept }) => [isPurged, isKept])).toEqual([[true, true]]);
    const [copy = ""] = await later.copyKept("s1", join(root, "out"));
    expect(readFileSync(copy, "utf8")).toBe(linesOf(first));
  });

  it("are not made unless somebody wants them", async () => {
    writeTranscript(path(), first);
    await look();
    expect(readdirSync(join(ledger(), ".."))).toEqual(["totals.bin"]);
  });
});
