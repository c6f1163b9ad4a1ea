import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { describeWith } from "./require-package.ts";
import type { ServedMonitor } from "./monitor-client.ts";

/** A page of the monitor in a browser, and what it did that it must not do. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Faults of the page: errors, what its Content-Security-Policy refused, dialogs, requests to anywhere but its server. */
  readonly faults: readonly string[];
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["cookies"]>>;

const executablePath = process.env["CHROMIUM_PATH"] ?? "chromium";

/** A suite that needs Chromium. Where there is none it is skipped, with a line that says what to install. */
export function describeInBrowser(name: string, body: () => void): void {
  describeWith({ command: executablePath, package: "chromium" }, name, body);
}

let started: Promise<Browser> | undefined;

/** The one browser of all files: starting it takes longer than most tests. It ends with the process. */
async function openBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: findOnPath(executablePath),
    // As root Chromium starts only without its sandbox.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  return await started;
}

const cookies = new WeakMap<ServedMonitor, Promise<Cookies>>();

/** Opens an address of the monitor in a browser that was let in. */
export async function visit(monitor: ServedMonitor, path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const browser = await openBrowser();
  if (!cookies.has(monitor)) cookies.set(monitor, logIn(browser, monitor));
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  await context.addCookies((await cookies.get(monitor)) ?? []);
  const page = await context.newPage();
  const faults = watchFaults(page, monitor.url);
  await page.goto(`${monitor.url}${path}`);
  await page.locator("h1").first().waitFor();
  return { page, faults, [Symbol.asyncDispose]: async () => await context.close() };
}

/** The printed address lets a browser in once: all pages share the cookie that it gives. */
async function logIn(browser: Browser, { loginUrl }: ServedMonitor): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(loginUrl);
  await page.getByRole("navigation").waitFor();
  const given = await context.cookies();
  await context.close();
  return given;
}

function watchFaults(page: Page, url: string): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const isRefusal = /Content.Security.Policy|Refused to/iu.test(message.text());
    if (isRefusal) faults.push(`refused: ${message.text()}`);
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(?:data|blob):/u.test(request.url());
    if (!isOwn) faults.push(`request: ${request.url()}`);
  });
  return faults;
}

function findOnPath(command: string): string {
  if (command.includes("/")) return command;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file)) ?? command;
}
