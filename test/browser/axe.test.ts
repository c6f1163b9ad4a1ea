import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import type axe from "axe-core";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask, type ServedMonitor } from "../support/monitor-client.ts";
import { seededStore, serveSeeded, type SeededStore } from "../support/seeded-store.ts";

let store: SeededStore;
let monitor: ServedMonitor;
let source: string;
let places: { readonly shop: string; readonly csv: string; readonly mended: string; readonly best: string };

beforeAll(async () => {
  store = await seededStore();
  monitor = await serveSeeded(store);
  source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const get = async (path: string) => (await ask(`${monitor.url}/api/workspaces${path}`, monitor)).json;
  const { workspaces } = await get("");
  const idOf = (name: string): string =>
    workspaces.find(({ path }: { readonly path: string }) => path === store.directory(name)).id;
  const [shop, csv] = [idOf("shop"), idOf("csv-parser")];
  const { state_id: mended } = await get(`/${shop}/states/checkout-mended`);
  const { state_id: best } = await get(`/${csv}/states/fastest-so-far`);
  places = { shop, csv, mended, best };
}, 120_000);

afterAll(async () => {
  monitor.process.kill();
  await once(monitor.process, "close");
});

const VIEWS: readonly (readonly [string, (at: typeof places) => string])[] = [
  ["now", () => "/"],
  ["the form that starts a run", () => "/?start=run"],
  ["runs", () => "/runs"],
  ["a run", ({ shop, mended }) => `/w/${shop}/states/${mended}`],
  ["trees", () => "/tree"],
  ["a tree with a state", ({ csv, best }) => `/w/${csv}/tree?select=${best}`],
  ["a tree as a list", ({ csv }) => `/w/${csv}/tree?as=list`],
  ["files", ({ shop, mended }) => `/w/${shop}/files?state=${mended}&path=src%2Fcheckout.ts`],
  ["sessions", () => "/sessions"],
  ["a session", () => "/sessions/5e550000-0000-4000-8000-000000000000"],
  ["costs", () => "/costs"],
];

describeInBrowser("axe-core", () => {
  it.each(VIEWS)("finds no serious fault in %s, light and dark, on a desktop and on a phone", async (_, address) => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = colorScheme === "light" ? { width: 1440, height: 900 } : { width: 390, height: 844 };
      await using visited = await visit(monitor, address(places), { colorScheme, viewport });
      const { page } = visited;
      await expect.poll(async () => await page.locator("main").innerText()).not.toMatch(/\bLoading\b/u);
      await page.evaluate(source);
      for (const [theme] of [[colorScheme], [colorScheme === "light" ? "dark" : "light"]] as const) {
        await page.emulateMedia({ colorScheme: theme });
        const { violations } = await page.evaluate(
          async () =>
            await (window as unknown as { readonly axe: typeof axe }).axe.run(document, {
              resultTypes: ["violations"],
            }),
        );
        found.push(
          ...violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .flatMap(({ id, help, nodes }) =>
              nodes.map(({ html, any }) => `${theme} ${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
            ),
        );
      }
    }
    expect(found).toEqual([]);
  });
});
