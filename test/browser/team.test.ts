import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type axe from "axe-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, visit } from "../support/browser.ts";
import { serveMonitor, type ServedMonitor } from "../support/monitor-client.ts";

const TEST = `
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";
test("the first task is number 1", { skip: !existsSync("add.mjs") }, async () => {
  const { add } = await import("./add.mjs");
  assert.equal(add("Buy milk").number, 1);
  rmSync("tasks.json");
});
`;

let root: string;
let monitor: ServedMonitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-team-page-")));
  await mkdir(join(root, "work"));
  await writeFile(join(root, "work", "tasks.test.mjs"), TEST);
  monitor = await serveMonitor(join(root, "home"), ["--port", "0", "--allow-commands"]);
}, 60_000);

afterAll(async () => {
  monitor.process.kill();
  await once(monitor.process, "close");
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

const PLAYED = { timeout: 120_000 } as const;

describeInBrowser("a team on the page", () => {
  it(
    "is started by the form, and seen while it works: plan, lanes, a round that its gates send back, merges",
    { timeout: 240_000 },
    async () => {
      await using visited = await visit(monitor, "/team?offline=team");
      const { page, faults } = visited;
      await page.getByRole("heading", { name: "No team yet" }).waitFor();
      await page.keyboard.press("s");
      const dialog = page.getByRole("dialog", { name: "Start a team" });
      await dialog.getByLabel("Directory").fill(join(root, "work"));
      await dialog.getByRole("button", { name: "Start the team" }).click();
      await dialog.getByText("Say what the team should bring about").waitFor();
      await dialog.getByLabel("Goal").fill("Build a list of tasks");
      await dialog.getByLabel(/^Gates/u).fill("node --test");
      await dialog.getByLabel("Workers at once").fill("2");
      await dialog.getByRole("button", { name: "Start the team" }).click();

      await page.waitForURL(/\/team\/[0-9a-f-]{36}/u, PLAYED);
      await page.getByRole("heading", { name: "Build a list of tasks" }).waitFor();
      const plan = page.getByRole("table", { name: "The plan" });
      const row = (title: string) => plan.getByRole("row", { name: title });
      await row("Add tasks").waitFor(PLAYED);
      const lanes = page.getByRole("region", { name: "Who did what" });
      await lanes.getByRole("button", { name: "Worker 1: store 1.1, works" }).waitFor(PLAYED);
      await row("Keep the tasks in a file").getByText("merged").waitFor(PLAYED);
      const back = lanes.getByRole("button", { name: /: add 1.1, sent back by the gates$/u });
      await back.waitFor(PLAYED);
      // The team still works: what is looked at meanwhile stays.
      await back.click();
      const inspector = page.getByRole("complementary");
      await inspector.getByRole("heading", { name: "Add tasks, round 1.1" }).waitFor();
      await inspector.getByText("0 !== 1").waitFor();
      await inspector.getByText("number: tasks.length,").first().waitFor();
      await lanes.getByRole("button", { name: "Merged: add" }).waitFor(PLAYED);
      await lanes.getByRole("button", { name: "Merged: list" }).waitFor(PLAYED);
      await page.getByText("3 of 3 items merged").waitFor(PLAYED);
      await page.getByText("25 % sent back by gates").waitFor(PLAYED);
      await inspector.getByRole("heading", { name: "Add tasks, round 1.1" }).waitFor();

      await page.keyboard.press("Escape");
      await expect.poll(() => page.url()).not.toContain("select=");
      await page.keyboard.press("j");
      await inspector.getByRole("heading", { name: "The plan" }).waitFor();
      await page.keyboard.press("j");
      await inspector.getByRole("link", { name: "Open the turn" }).click();
      await page.waitForURL(/\/states\//u);
      await page.goBack();
      await inspector.getByRole("heading", { name: "Keep the tasks in a file, round 1.1" }).waitFor();
      expect(faults).toEqual([]);
    },
  );

  it("has no serious fault for axe-core, in a list and open, light and dark, on a desktop and on a phone", async () => {
    const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = colorScheme === "light" ? { width: 1440, height: 900 } : { width: 390, height: 844 };
      await using visited = await visit(monitor, "/team", { colorScheme, viewport });
      const { page } = visited;
      const look = async (what: string): Promise<void> => {
        await expect.poll(async () => await page.locator("main").innerText()).not.toMatch(/\bLoading\b/u);
        await page.evaluate(source);
        const { violations } = await page.evaluate(
          async () => await (window as unknown as { readonly axe: typeof axe }).axe.run(document),
        );
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        found.push(...serious.map(({ id, nodes }) => `${what} ${colorScheme}: ${id} ${nodes[0]?.html ?? ""}`));
      };
      await page.getByRole("list", { name: "Teams" }).waitFor();
      await look("the list");
      await page.getByRole("link", { name: /Build a list of tasks/u }).click();
      await page.getByRole("table", { name: "The plan" }).waitFor();
      await look("a team");
      await page.getByRole("button", { name: /sent back by the gates/u }).click();
      await page.getByRole("complementary").getByText("number: tasks.length,").first().waitFor();
      await look("its evidence");
    }
    expect(found).toEqual([]);
  });
});
