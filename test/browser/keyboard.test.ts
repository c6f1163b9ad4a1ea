import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask, type ServedMonitor } from "../support/monitor-client.ts";
import { seededStore, serveSeeded, type SeededStore } from "../support/seeded-store.ts";

let store: SeededStore;
let monitor: ServedMonitor;
let shop: string;
let csv: string;
let state: string;

beforeAll(async () => {
  store = await seededStore();
  monitor = await serveSeeded(store);
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  const idOf = (name: string): string =>
    workspaces.find(({ path }: { readonly path: string }) => path === store.directory(name)).id;
  [shop, csv] = [idOf("shop"), idOf("csv-parser")];
  state = (await ask(`${monitor.url}/api/workspaces/${shop}/states/checkout-mended`, monitor)).json.state_id;
}, 120_000);

afterAll(async () => {
  monitor.process.kill();
  await once(monitor.process, "close");
});

/** What can be worked in the page, but is never reached by the Tab key; each is told by its name. */
async function unreachable(page: Page): Promise<readonly string[]> {
  const mark = (): number => {
    // What a composite widget reaches by arrows has tabindex -1, and radio buttons of a group one stop.
    const all = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, [tabindex]")];
    const shown = all.filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(":disabled, [type=radio], [data-base-ui-focus-guard], [inert] *, [aria-hidden=true] *") &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    for (const element of shown) element.dataset["toReach"] = "";
    return shown.length;
  };
  const count = await page.evaluate(mark);
  for (let step = 0; step < count + 30; step += 1) {
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => {
      delete (document.activeElement as HTMLElement | null)?.dataset["toReach"];
      return document.querySelectorAll("[data-to-reach]").length;
    });
    if (left === 0) return [];
  }
  return await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-to-reach]")].map(
      (element) => element.getAttribute("aria-label") ?? `${element.tagName} ${element.innerText}`,
    ),
  );
}

describeInBrowser("the page by keyboard alone", () => {
  it.each([
    ["now", () => "/"],
    ["runs", () => "/runs"],
    ["a run", () => `/w/${shop}/states/${state}`],
    ["trees", () => "/tree"],
    ["files", () => `/w/${shop}/files`],
    ["sessions", () => "/sessions"],
    ["costs", () => "/costs"],
  ])("reaches everything that can be worked in %s", async (_, address) => {
    await using visited = await visit(monitor, address());
    const { page } = visited;
    await expect.poll(async () => await page.locator("main").innerText()).not.toMatch(/\bLoading\b/u);
    expect(await unreachable(page)).toEqual([]);
  });

  it("goes from view to view, finds a workspace, selects a state, names it, and reads all keys", async () => {
    await using visited = await visit(monitor, "/");
    const { page, faults } = visited;
    const keys = async (...names: readonly string[]): Promise<void> => {
      for (const name of names) await page.keyboard.press(name);
    };
    const goes = async (path: RegExp): Promise<void> => await page.waitForURL(path);
    await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
    await keys("g", "r");
    await goes(/\/runs$/u);
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await keys("g", "c");
    await goes(/\/costs$/u);
    await keys("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await keys("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await keys("Control+k");
    await page.keyboard.type("csv-parser: tree");
    await page.getByRole("option", { name: /csv-parser: tree/u }).waitFor();
    await keys("Enter");
    await goes(new RegExp(`/w/${csv}/tree`, "u"));
    await page
      .getByText(/\d+ states/u)
      .first()
      .waitFor();
    // While a dialog closes, keys are still its own.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await keys("h");
    await goes(/select=/u);
    await page
      .getByRole("complementary")
      .getByRole("button", { name: /^Name…/u })
      .waitFor();
    await keys("m");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().waitFor();
    await page.keyboard.type("by-keyboard");
    await keys("Enter");
    await page.getByRole("complementary").getByText("by-keyboard").first().waitFor();
    const { state_id: named } = (await ask(`${monitor.url}/api/workspaces/${csv}/states/by-keyboard`, monitor)).json;
    expect(page.url()).toContain(named);
    expect(faults).toEqual([]);
  });

  it("opens the form that the address names, in the field where it is written first, and shows no ring around the view", async () => {
    await using visited = await visit(monitor, "/?start=search");
    const { page } = visited;
    await page.getByRole("dialog", { name: "Start an exploration" }).waitFor();
    const focused = async (): Promise<string> =>
      await page.evaluate(() => (document.activeElement?.matches("input, textarea") ? "a field" : "something else"));
    await expect.poll(focused).toBe("a field");
    await page.getByRole("radio", { name: "One run" }).check();
    await page.getByRole("dialog", { name: "Start a run" }).waitFor();
    expect(new URL(page.url()).searchParams.get("start")).toBe("run");
    await page.reload();
    await page.getByRole("dialog", { name: "Start a run" }).waitFor();
    await page.getByRole("button", { name: "Close" }).first().click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("main").focus();
    await page.keyboard.press("Shift");
    expect(await page.locator("main").evaluate((main) => getComputedStyle(main).outlineStyle)).toBe("none");
  });

  it("keeps in the address what is shown: a link opens the very thing, Back leads to the view before", async () => {
    const address = `/w/${csv}/tree?select=${(await ask(`${monitor.url}/api/workspaces/${csv}/states/fastest-so-far`, monitor)).json.state_id}&as=list`;
    await using visited = await visit(monitor, "/runs");
    const { page } = visited;
    await page.goto(`${monitor.url}${address}`);
    await page.getByRole("complementary").getByText("fastest-so-far").first().waitFor();
    await page.reload();
    await page.getByRole("complementary").getByText("fastest-so-far").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(/\/costs$/u);
    await page.goBack();
    await page.getByRole("complementary").getByText("fastest-so-far").first().waitFor();
    expect(page.url()).toBe(`${monitor.url}${address}`);
  });
});
