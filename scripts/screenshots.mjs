// Takes the pictures of the page: every view, light and dark, on a desktop and on a phone, empty and full. `npm run screenshots`, `-- --only tree`,
// `-- --write-docs` for those of the guide. Needs Chromium and a build. `--store <folder>` keeps the seeded store there for the next time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLiveRuns } from "./screenshots/live-runs.mjs";
import { openBrowser } from "./screenshots/open-browser.mjs";
import { isSeeded, placesIn, seedStore } from "./screenshots/seed-store.mjs";
import { shrinkPng } from "./screenshots/shrink-png.mjs";
import { serveStore } from "./screenshots/serve-store.mjs";
import { findFacts, VIEWS } from "./screenshots/views.mjs";

const SIZES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
const DOCS = "docs/guide/dashboard/pictures";
const THEMES = ["light", "dark"];
/** After this long a view is taken as it is, and said to be still loading. */
const MOST_WAIT_MS = 10_000;

const {
  only,
  out,
  store,
  "write-docs": isForDocs,
} = parseArgs({
  options: {
    only: { type: "string" },
    out: { type: "string", default: "build/screenshots" },
    store: { type: "string" },
    "write-docs": { type: "boolean", default: false },
  },
}).values;

const wanted = VIEWS.filter(({ name }) => only === undefined || only.split(",").some((part) => name.startsWith(part)));
if (wanted.length === 0) {
  console.error(`no such view: ${only}; there are ${VIEWS.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}
const root = mkdtempSync(join(tmpdir(), "skein-screenshots-"));
const problems = [];
for (const folder of [out, DOCS]) mkdirSync(folder, { recursive: true });
const browser = await openBrowser().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
try {
  await takeFull();
  const empty = wanted.filter((view) => view.empty === true);
  if (empty.length > 0) await takeEmpty(empty);
} finally {
  await browser.close();
  rmSync(root, { recursive: true, force: true });
}
for (const problem of new Set(problems)) console.log(problem);
console.log(`${out} has the pictures of ${wanted.length} views`);

async function takeFull() {
  const folder = store ?? join(root, "full");
  const places = isSeeded(folder) ? placesIn(folder) : await seedStore(folder);
  const server = await serveStore(places);
  const live = startLiveRuns(places);
  try {
    await waitFor(async () => (await server.get("/api/questions")).questions.length === 4);
    await takeAll(server, wanted, { facts: await findFacts(server), suffix: "" });
  } finally {
    await live.stop();
    await server.stop();
  }
}

async function takeEmpty(views) {
  const places = placesIn(join(root, "empty"));
  for (const folder of [places.home, places.user]) mkdirSync(folder, { recursive: true });
  const server = await serveStore(places);
  try {
    await takeAll(server, views, { facts: {}, suffix: "-empty" });
  } finally {
    await server.stop();
  }
}

async function takeAll({ url, loginUrl }, views, { facts, suffix }) {
  const storageState = await logIn(loginUrl);
  for (const [size, options] of Object.entries(SIZES)) {
    for (const colorScheme of THEMES) {
      const context = await browser.newContext({ ...options, colorScheme, storageState, reducedMotion: "reduce" });
      for (const { name, address, act, inDocs } of views) {
        const page = await context.newPage();
        const path = join(out, `${name}${suffix}-${size}-${colorScheme}.png`);
        watch(page, `${name}${suffix}`);
        await page.goto(`${url}${address(facts)}`);
        await settle(page, `${name}${suffix}`);
        await act?.(page);
        if (act) await settle(page, name);
        const picture = await page.screenshot({ path });
        if (isForDocs && inDocs !== undefined && suffix === "" && size === "desktop" && colorScheme === "light") {
          writeFileSync(join(DOCS, `${inDocs}.png`), shrinkPng(picture));
        }
        await page.close();
      }
      await context.close();
    }
  }
}

/** The address that lets a browser in does so once: the pictures share the cookie that it gives. */
async function logIn(loginUrl) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(loginUrl);
  await page.waitForSelector("nav");
  const state = await context.storageState();
  await context.close();
  return state;
}

function watch(page, name) {
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${name}: the console says ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${name}: ${error.message}`));
}

/** Waits until the view is there, nothing says that it is loading, and the fonts and pictures are drawn. */
async function settle(page, name) {
  try {
    await page.waitForSelector("h1", { timeout: MOST_WAIT_MS });
    await page.waitForFunction(() => !/\bLoading\b/u.test(document.querySelector("main")?.innerText ?? ""), undefined, {
      timeout: MOST_WAIT_MS,
    });
    await page.waitForFunction(() => document.fonts.status === "loaded");
  } catch {
    problems.push(`${name}: still loading after ${MOST_WAIT_MS / 1000} s`);
  }
  await page.waitForTimeout(400);
}

async function waitFor(isSo) {
  const untilMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error("the runs that should wait for a person do not");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
