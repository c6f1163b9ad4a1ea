import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium, type Browser, type Page } from "playwright-core";
import { createEngine } from "skein/engine";
import { startMonitor, type Monitor } from "skein/monitor";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import type { Bench } from "./harness/bench.ts";
import { median } from "./harness/median.ts";
import { row, type Row } from "./harness/row.ts";
import { makeStates } from "./make-states.ts";

const ASSETS = fileURLToPath(new URL("../../dist/dashboard/assets", import.meta.url));
const STATES = 100_000;
const EVENTS = 40;
const EVENT_EVERY_MS = 100;
const WHEELS = 200;

/** Needs Chromium: `CHROMIUM_PATH`, or Debian's. */
export const page: Bench = {
  name: "page",
  summary: "the page of skein serve in a headless Chromium: script of its first load, append to screen, scrolling",
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-page-"));
    const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
    const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
    try {
      tell("append to screen");
      const small = await visitStore(browser, join(root, "small"), measureAppend);
      tell(`${STATES.toLocaleString("en-US")} turns are made`);
      const { home } = await makeStates(join(root), STATES);
      tell("scrolling");
      return [...small, ...(await visitStore(browser, home, measureScroll))];
    } finally {
      await browser.close();
      await rm(root, { recursive: true, force: true });
    }
  },
};

interface Visited {
  readonly home: string;
  readonly monitor: Monitor;
  readonly opened: Page;
}

async function visitStore(
  browser: Browser,
  home: string,
  measure: (visited: Visited) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  await using monitor = await startMonitor({ home, port: 0, transcriptsHome: join(home, "claude") });
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await opened.goto(monitor.loginUrl());
  await opened.waitForSelector("nav");
  return await measure({ home, monitor, opened });
}

/** How long it takes until what an engine tells is on the screen, and what the first load takes. */
async function measureAppend({ home, monitor, opened }: Visited): Promise<readonly Row[]> {
  const names = await opened.evaluate<readonly string[]>(
    'performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((name) => name.endsWith(".js"))',
  );
  const files = await Promise.all(
    [...new Set(names)].map((name) => readFile(join(ASSETS, name.replace("/assets/", "")))),
  );
  const kib = files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0) / 1024;
  const seen = watchMarks(opened, monitor);
  await using workspace = await Workspace.open(join(home, "work"), { home });
  await using conversation = await Conversation.start(workspace, { engine: createMarkingEngine() });
  await conversation.send("Tell the time");
  const delays = await seen;
  const rows = [["median", median(delays)] as const, ["slowest", Math.max(...delays)] as const];
  return [
    row({
      name: "page-first-load",
      what: "compressed script of the first load",
      ours: kib,
      unit: "KiB",
      aim: { of: "ours", atMost: 300 },
    }),
    ...rows.map(([name, ms]) =>
      row({
        name: `page-append-${name}`,
        what: `an event of a run until it is drawn, ${name} of ${EVENTS}`,
        ours: ms,
        unit: "ms",
        aim: { of: "ours", atMost: 250 },
      }),
    ),
  ];
}

/** Opens the run that begins, and gives how old each mark was when it was drawn. */
async function watchMarks(opened: Page, { url }: Monitor): Promise<readonly number[]> {
  await opened.goto(url);
  await opened.locator("article a").first().click();
  return await opened.evaluate<readonly number[]>(`new Promise((resolve) => {
    const seen = new Map();
    const look = () => {
      for (const [, place, at] of document.body.innerText.matchAll(/mark (\\d+) at (\\d+)/gu)) {
        if (!seen.has(place)) seen.set(place, Date.now() - Number(at));
      }
      if (seen.size >= ${EVENTS - 3}) resolve([...seen.values()].slice(2));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Tells a text with the time of it, again and again. */
function createMarkingEngine() {
  return createEngine(async function* mark(_, { cwd = "", resume } = {}) {
    const sessionId = resume ?? "0a000000-0000-4000-8000-000000000001";
    const base = () => ({ timestamp: new Date().toISOString(), sessionId });
    const model = "claude-sonnet-4-5-20250929";
    yield { ...base(), type: "turn-start", model, cwd, tools: [], permissionMode: "default" };
    await new Promise((resolve) => setTimeout(resolve, 3000));
    for (let place = 0; place < EVENTS; place += 1) {
      yield { ...base(), type: "text", text: `mark ${place} at ${Date.now()}`, model };
      await new Promise((resolve) => setTimeout(resolve, EVENT_EVERY_MS));
    }
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const result = {
      text: "Done.",
      sessionId,
      isError: false,
      usage,
      usageByModel: {},
      costUsd: 0,
      durationMs: 1,
      responses: 1,
      model,
      permissionDenials: [],
    };
    yield { ...base(), type: "turn-end", result };
    return result;
  });
}

/** The time between frames while the list of all turns is scrolled with the wheel, up to its middle and back. */
async function measureScroll({ monitor, opened }: Visited): Promise<readonly Row[]> {
  // The index is made by who asks first.
  await fetch(`${monitor.url}/api/states?limit=1`, { headers: { authorization: `Bearer ${monitor.token}` } });
  await opened.goto(new URL("/runs", opened.url()).href);
  await opened
    .getByText(/^[\d,]+ turns/u)
    .first()
    .waitFor({ timeout: 120_000 });
  await opened.mouse.move(700, 500);
  await opened.evaluate(`(() => {
    window.frames100 = [];
    let last = performance.now();
    const next = (now) => {
      window.frames100.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })()`);
  for (let wheel = 0; wheel < WHEELS; wheel += 1) await opened.mouse.wheel(0, wheel < WHEELS / 2 ? 4000 : -3000);
  const frames = await opened.evaluate<readonly number[]>("window.frames100.slice(1)");
  const sorted = frames.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return (
    [
      ["median", at(0.5)],
      ["99 of 100", at(0.99)],
      ["slowest", at(1)],
    ] as const
  ).map(([name, ms]) =>
    row({
      name: `page-scroll-${name.replaceAll(" ", "-")}`,
      what: `a frame while ${STATES.toLocaleString("en-US")} turns are scrolled, ${name} of ${frames.length}`,
      ours: ms,
      unit: "ms",
      aim: { of: "ours", atMost: 50 },
    }),
  );
}
