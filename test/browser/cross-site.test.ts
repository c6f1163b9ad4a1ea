import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask, type ServedMonitor } from "../support/monitor-client.ts";
import { seededStore, serveSeeded, type SeededStore } from "../support/seeded-store.ts";

let monitor: ServedMonitor;
let store: SeededStore;
let stranger: Server;
let strangerUrl: string;

beforeAll(async () => {
  store = await seededStore();
  monitor = await serveSeeded(store);
  // Another program's page on this machine: another port is another origin, and still the same site for cookies.
  stranger = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>");
  }).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
}, 120_000);

afterAll(async () => {
  stranger.closeAllConnections();
  stranger.close();
  monitor.process.kill();
  await once(monitor.process, "close");
});

/** What a page elsewhere tries, in a browser that has the monitor's cookie: each gives what it got, or `nothing`. */
async function tryAll({
  url,
  workspace,
}: {
  readonly url: string;
  readonly workspace: string;
}): Promise<Record<string, string>> {
  const restore = `${url}/api/workspaces/${workspace}/restore`;
  const body = JSON.stringify({ state: "@~1", replace_unrecorded: true });
  const got = async (trial: () => Promise<string>): Promise<string> => {
    try {
      return await trial();
    } catch {
      return "nothing";
    }
  };
  const text = async (request: RequestInfo, init: RequestInit): Promise<string> =>
    await (await fetch(request, init)).text();
  const include = { credentials: "include" } as const;
  const frame = async (): Promise<string> => {
    const inner = document.createElement("iframe");
    inner.src = url;
    document.body.append(inner);
    await new Promise((resolve) => inner.addEventListener("load", resolve, { once: true }));
    return inner.contentDocument?.body.textContent ?? "nothing";
  };
  const socket = async (): Promise<string> =>
    await new Promise((resolve) => {
      const line = new WebSocket(`${url.replace("http", "ws")}/api/stream?subscribe=runs,events`);
      line.addEventListener("message", ({ data }) => resolve(String(data)));
      line.addEventListener("error", () => resolve("nothing"));
    });
  const form = async (): Promise<string> => {
    const target = document.createElement("iframe");
    target.name = "target";
    const element = document.createElement("form");
    Object.assign(element, { action: restore, method: "post", enctype: "text/plain", target: "target" });
    const field = document.createElement("input");
    Object.assign(field, { name: body.slice(0, -1), value: "}" });
    element.append(field);
    document.body.append(target, element);
    const loaded = new Promise((resolve) => target.addEventListener("load", resolve, { once: true }));
    element.submit();
    await loaded;
    return target.contentDocument?.body.textContent ?? "nothing";
  };
  return {
    read: await got(async () => await text(`${url}/api/runs`, include)),
    readQuietly: await got(async () => await text(`${url}/api/runs`, { ...include, mode: "no-cors" })),
    change: await got(
      async () =>
        await text(restore, { ...include, method: "POST", headers: { "content-type": "application/json" }, body }),
    ),
    changeQuietly: await got(async () => await text(restore, { ...include, method: "POST", mode: "no-cors", body })),
    frame: await got(frame),
    form: await got(form),
    socket: await got(socket),
  };
}

describeInBrowser("a page from elsewhere, in a browser that was let in", () => {
  it("can neither read nor change anything, by fetch, form, frame or WebSocket", async () => {
    await using visited = await visit(monitor, "/");
    const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
    const { id: workspace } = workspaces.find(
      ({ path }: { readonly path: string }) => path === store.directory("shop"),
    );
    const states = async (): Promise<unknown> =>
      (await ask(`${monitor.url}/api/workspaces/${workspace}`, monitor)).json;
    const before = await states();
    const page = await visited.page.context().newPage();
    await page.goto(strangerUrl);
    expect(await page.evaluate(tryAll, { url: monitor.url, workspace })).toEqual({
      read: "nothing",
      // A quiet request gives an answer that nobody can read: it is empty.
      readQuietly: "nothing",
      change: "nothing",
      changeQuietly: "nothing",
      frame: "nothing",
      form: "nothing",
      socket: "nothing",
    });
    expect(await states()).toEqual(before);
    // It is the same browser: what it opens by itself is let in.
    await page.goto(`${monitor.url}/runs`);
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  });
});
