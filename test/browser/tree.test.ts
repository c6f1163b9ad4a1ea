import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startSkein } from "../cli/support/skein.ts";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask, type ServedMonitor } from "../support/monitor-client.ts";
import { seededStore, serveSeeded, type SeededStore } from "../support/seeded-store.ts";

let store: SeededStore;
let monitor: ServedMonitor;
let ids: ReadonlyMap<string, string>;

beforeAll(async () => {
  store = await seededStore();
  monitor = await serveSeeded(store);
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  ids = new Map(workspaces.map(({ id, path }: { id: string; path: string }) => [path, id] as const));
}, 120_000);

afterAll(async () => {
  monitor.process.kill();
  await once(monitor.process, "close");
});

const idOf = (name: string): string => ids.get(store.directory(name)) ?? "";

async function stateOf(workspace: string, name: string): Promise<string> {
  return (await ask(`${monitor.url}/api/workspaces/${workspace}/states/${name}`, monitor)).json.state_id;
}

const SLOW = 'fail {"type":"drip","tokensPerSecond":40}\nsay ';

describeInBrowser("the tree on the page", () => {
  it("of sixty states is walked and two of them compared by keys, while a search adds others", async () => {
    const workspace = idOf("csv-parser");
    await using visited = await visit(monitor, `/w/${workspace}/tree`, { viewport: { width: 1600, height: 1000 } });
    const { page, faults } = visited;
    const count = async (): Promise<number> =>
      Number(/(\d+) states/u.exec(await page.getByRole("main").innerText())?.[1] ?? 0);
    await expect.poll(count).toBeGreaterThan(50);
    const before = await count();
    const words = "A sentence that takes a while to be written. ".repeat(4);
    const prompts = ["one", "two", "three"].flatMap((way) => ["--prompt", `${SLOW}Way ${way}. ${words}`]);
    const search = await startSkein(
      ["explore", ...prompts, "--offline", "direct", "--cwd", store.directory("csv-parser"), "--json"],
      { env: store.env },
    );
    await page.keyboard.press("b");
    await page.waitForURL(/select=/u);
    await page
      .getByRole("complementary")
      .getByRole("button", { name: /^Open the turn/u })
      .waitFor();
    const best = new URL(page.url()).searchParams.get("select");
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowUp");
    await page.waitForURL(/compare=/u);
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.getByText("src/parse.ts").first().waitFor();
    await expect.poll(count).toBe(before + 3);
    expect((await search.finished).code).toBe(0);
    // What was compared is still compared, and the address says so.
    expect(page.url()).toContain(`select=${best}`);
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("restores a state: says what will change, changes the files on the disk, and takes it back", async () => {
    const workspace = idOf("shop");
    const mended = await stateOf(workspace, "checkout-mended");
    const price = async (): Promise<string> => await readFile(join(store.directory("shop"), "src/price.ts"), "utf8");
    expect(await price()).toContain("yen");
    await using visited = await visit(monitor, `/w/${workspace}/tree?select=${mended}`);
    const { page, faults } = visited;
    await page
      .getByRole("complementary")
      .getByRole("button", { name: /^Restore/u })
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("src/price.ts").waitFor();
    expect(await price()).toContain("yen");
    const agreement = dialog.getByRole("checkbox");
    if ((await agreement.count()) > 0) await agreement.check();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await dialog.getByText(/^Done\./u).waitFor();
    expect(await price()).not.toContain("yen");
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await dialog.getByText(/^Taken back\./u).waitFor();
    expect(await price()).toContain("yen");
    expect(faults).toEqual([]);
  });
});
