import { appendFile, mkdir, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { rawOf } from "../records/transcript-record.ts";
import { tail, type TailEntry } from "./tail.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-transcript-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const line = (text: string): string => `${JSON.stringify({ type: "tag", tag: text })}\n`;

function brief(entry: TailEntry | undefined | void): unknown {
  if (entry === undefined) return "end";
  if (entry.type === "record") return (rawOf(entry.record) as { readonly tag: string }).tag;
  return entry.type === "restart" ? entry.reason : `${entry.problem.kind} ${entry.problem.line}`;
}

describe("tail", () => {
  it("gives what is there, then each record when its line is complete", async () => {
    const path = join(folder, "grows.jsonl");
    await writeFile(path, line("one") + line("two").slice(0, 9));
    const abort = new AbortController();
    const entries = tail(path, { signal: abort.signal, pollMs: 50 });
    const next = async (): Promise<unknown> => brief((await entries.next()).value);
    expect(await next()).toBe("one");
    const second = next();
    await appendFile(path, line("two").slice(9));
    expect(await second).toBe("two");
    await appendFile(path, `{broken\n${line("four")}`);
    expect([await next(), await next()]).toEqual(["broken 3", "four"]);
    const last = next();
    abort.abort();
    expect(await last).toBe("end");
  });

  it("waits for a file that is not there, and begins anew where it is cut, replaced or deleted", async () => {
    const path = join(folder, "rotates.jsonl");
    const abort = new AbortController();
    const entries = tail(path, { signal: abort.signal, pollMs: 50 });
    const next = async (): Promise<unknown> => brief((await entries.next()).value);
    const first = next();
    await writeFile(path, line("one") + line("and more"));
    expect([await first, await next()]).toEqual(["one", "and more"]);
    const cut = next();
    await truncate(path, 0);
    expect(await cut).toBe("truncated");
    const after = next();
    await appendFile(path, line("two"));
    expect(await after).toBe("two");
    const replaced = next();
    await writeFile(`${path}.new`, line("three"));
    await rename(`${path}.new`, path);
    expect([await replaced, await next()]).toEqual(["replaced", "three"]);
    const deleted = next();
    await rm(path);
    expect(await deleted).toBe("deleted");
    abort.abort();
    expect(await next()).toBe("end");
  });

  it("notices a file that was rewritten longer than it was", async () => {
    const path = join(folder, "rewritten.jsonl");
    await writeFile(path, line("one"));
    const entries = tail(path, { pollMs: 50 });
    const next = async (): Promise<unknown> => brief((await entries.next()).value);
    expect(await next()).toBe("one");
    const after = next();
    await writeFile(path, line("another one") + line("and one more"));
    expect([await after, await next(), await next()]).toEqual(["truncated", "another one", "and one more"]);
    await entries.return();
  });

  it("looks by the clock where no watcher tells it anything", async () => {
    const clock = createFakeClock();
    const path = join(folder, "not-there-yet", "polled.jsonl");
    const entries = tail(path, { clock, pollMs: 1_000 });
    let seen: unknown;
    const first = entries.next().then(({ value }) => (seen = brief(value)));
    await mkdir(join(folder, "not-there-yet"));
    await writeFile(path, line("late"));
    await expect
      .poll(() => {
        clock.advance(1_000);
        return seen;
      })
      .toBe("late");
    await first;
    await entries.return();
  });

  it("passes over what is there when it is to begin at the end", async () => {
    const path = join(folder, "end.jsonl");
    await writeFile(path, line("old"));
    const entries = tail(path, { fromEnd: true, pollMs: 50 });
    const first = entries.next();
    await expect
      .poll(async () => {
        await appendFile(path, line("new"));
        return Promise.race([first.then(({ value }) => brief(value)), new Promise((resolve) => setImmediate(resolve))]);
      })
      .toBe("new");
    await entries.return();
  });
});
