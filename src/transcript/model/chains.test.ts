import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSamples } from "../../../test/support/transcript-samples.ts";
import { answer, linesOf, prompt } from "../../../test/support/write-history.ts";
import { load } from "../read/load.ts";
import { mainChain, threadOf, treeOf } from "./chains.ts";
import type { Transcript } from "./transcript.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-chains-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(bytes: string | Buffer): Promise<Transcript> {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, bytes);
  return load(path);
}

const uuids = (messages: readonly { readonly uuid: string | undefined }[]): readonly unknown[] =>
  messages.map(({ uuid }) => uuid);

const sample = (name: string): Promise<Transcript> =>
  read(allSamples().find((each) => each.name === name)?.bytes ?? "");

const place = { sessionId: "s" };
const under = (parentUuid: string | null, record: object): object => ({ parentUuid, ...record });

describe("the main chain", () => {
  it("goes on before a compaction that has no boundary, and before one whose parent is not in the file", async () => {
    for (const name of ["v1.0.51-compaction-without-boundary", "v2.0.76-lost-parent"]) {
      const transcript = await sample(name);
      expect(uuids(mainChain(transcript))).toEqual(uuids(transcript.messages));
      const last = transcript.messages.at(-1)?.uuid ?? "";
      expect(uuids(threadOf(transcript, last))).toEqual(uuids(transcript.messages));
    }
  });

  it("does not end in the output of a command at the end, and leaves out only what was rewound", async () => {
    const transcript = await sample("v1.0.55-fork");
    expect(uuids(mainChain(transcript))).toEqual(["frk-p1", "frk-a1", "frk-p3", "frk-a3", "frk-c1", "frk-c2"]);
  });

  it("stands on the branch that the CLI noted, with a compaction of the other one left out", async () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: "b",
      sessionId: "s",
      logicalParentUuid: "a3",
    };
    const records = [
      under(null, prompt("p1", "one", place)),
      under("p1", answer("a1", "first", place)),
      under("a1", prompt("p2", "two", place)),
      under("p2", answer("a2", "second", place)),
      under("a1", prompt("p3", "other", place)),
      under("p3", answer("a3", "third", place)),
      under(null, boundary),
      under("b", { ...prompt("s3", "a summary", place), isCompactSummary: true }),
    ];
    const noted = [...records, { type: "last-prompt", leafUuid: "a2", sessionId: "s" }];
    expect(uuids(mainChain(await read(linesOf(noted))))).toEqual(["p1", "a1", "p2", "a2"]);
    expect(uuids(mainChain(await read(linesOf(records))))).toEqual(["p1", "a1", "p3", "a3", "s3"]);
  });

  it("has every message of any transcript but those below a prompt that another one took the place of", async () => {
    for (const { name, bytes } of allSamples()) {
      const transcript = await read(bytes);
      const tree = treeOf(transcript);
      const lost = transcript.messages.filter((message) => !mainChain(transcript).includes(message));
      const beside = new Set(tree.branches.flatMap(({ promptUuids }) => promptUuids));
      const unexplained = lost.filter(({ uuid }) => !tree.pathTo(uuid ?? "").some((each) => beside.has(each)));
      expect([name, uuids(unexplained)]).toEqual([name, []]);
      expect([name, lost.length < transcript.messages.length / 2]).toEqual([name, true]);
    }
  });
});
