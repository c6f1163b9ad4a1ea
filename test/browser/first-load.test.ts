import { readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, visit } from "../support/browser.ts";
import type { ServedMonitor } from "../support/monitor-client.ts";
import { seededStore, serveSeeded } from "../support/seeded-store.ts";

const ASSETS = "dist/dashboard/assets";
const MOST_BYTES = 300_000;

let monitor: ServedMonitor;

beforeAll(async () => {
  monitor = await serveSeeded(await seededStore());
}, 120_000);

afterAll(async () => {
  monitor.process.kill();
  await once(monitor.process, "close");
});

describeInBrowser("the first load of the page", () => {
  it("takes less than 300 KB of compressed script in any view, and leaves the other views where they are", async () => {
    const loaded: [string, number, number][] = [];
    for (const path of ["/", "/runs", "/tree", "/sessions", "/costs"]) {
      await using visited = await visit(monitor, path);
      await visited.page.waitForLoadState("load");
      const urls = await visited.page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map(({ name }) => new URL(name).pathname)
          .filter((name) => name.endsWith(".js")),
      );
      const names = [...new Set(urls)].map((url) => url.replace("/assets/", ""));
      const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
      loaded.push([path, bytes, names.filter((name) => name.includes("-view-")).length]);
    }
    process.stderr.write(
      `compressed script of the first load: ${loaded.map(([path, bytes]) => `${path} ${bytes}`).join(", ")}\n`,
    );
    expect(loaded.filter(([, bytes]) => bytes === 0 || bytes > MOST_BYTES)).toEqual([]);
    const views = readdirSync(ASSETS).filter((name) => /-view-.*\.js$/u.test(name));
    expect(loaded.filter(([, , count]) => count >= views.length / 2)).toEqual([]);
  });
});
