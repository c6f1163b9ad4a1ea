import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineScenario, type Step } from "../../src/offline/index.ts";
import { startSkein } from "../cli/support/skein.ts";
import { describeInBrowser, visit } from "../support/browser.ts";
import { startOwnMonitor, type OwnMonitor } from "../support/own-monitor.ts";

const COUNT = 10;

/** A sentence, a moment, a call, and again: events before, while and after the server is gone. */
const steps: readonly Step[] = Array.from({ length: COUNT }, (_, place) => [
  { fail: { type: "drip", tokensPerSecond: 25 } } as const,
  { say: `Sentence number ${place + 1} of the run, which takes a moment to write.` },
  { call: { tool: "Read", input: { file_path: "{{cwd}}/page.txt" } } },
]).flat();

let own: OwnMonitor;

beforeAll(async () => {
  own = await startOwnMonitor(
    defineScenario({ name: "long", rules: [{ steps: [...steps, { say: "That was all of it." }] }] }),
  );
}, 60_000);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

describeInBrowser("a page whose server is killed", () => {
  it("says so, and once there is another one at the same address has every event, once, in its order", async () => {
    const directory = await own.directory("reading");
    await writeFile(join(directory, "page.txt"), "a page\n");
    const run = await startSkein(["run", "Read on", "--cwd", directory, "--json"], { env: own.env });
    // High enough for all rows to be drawn.
    await using visited = await visit(own.monitor, "/", { viewport: { width: 1200, height: 4000 } });
    const { page, faults } = visited;
    await page.getByRole("link", { name: "Read on" }).first().click();
    await page
      .getByText(/Sentence number 2 /u)
      .first()
      .waitFor();
    await own.kill();
    await page.getByText(/no connection/u).waitFor();
    // Things happen while nobody listens.
    const then = await writtenCount();
    await expect.poll(writtenCount).toBeGreaterThan(then + 1);
    await own.restart();
    await page.getByText("connected", { exact: true }).waitFor();
    const readings: (readonly number[])[] = [];
    await expect.poll(async () => readings[readings.push(await shownNumbers(page)) - 1]?.length).toBe(COUNT);
    // What is shown has no gap at any moment.
    expect(readings.filter((seen) => !seen.every((number, place) => number === place + 1))).toEqual([]);
    await page
      .getByText(/That was all of it/u)
      .first()
      .waitFor();
    expect((await run.finished).code).toBe(0);
    await page.reload();
    await expect.poll(() => shownNumbers(page)).toEqual(Array.from({ length: COUNT }, (_, place) => place + 1));
    expect(faults).toEqual([]);
  });
});

/** How many sentences the journal of the run has. */
async function writtenCount(): Promise<number> {
  const folder = join(own.env["SKEIN_HOME"] ?? "", "events");
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.join("").match(/"text":"Sentence number/gu)?.length ?? 0;
}

/** The numbers of the sentences that the timeline shows, from top to bottom. */
async function shownNumbers(page: Page): Promise<readonly number[]> {
  const text = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-index]")]
      .toSorted((left, right) => Number(left.dataset["index"]) - Number(right.dataset["index"]))
      .map(({ innerText }) => innerText)
      .join("\n"),
  );
  return [...text.matchAll(/Sentence number (\d+) of/gu)].map(([, number]) => Number(number));
}
