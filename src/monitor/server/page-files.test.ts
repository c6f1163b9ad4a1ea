import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Answer } from "../../../test/support/monitor-client.ts";
import type { Monitor } from "../monitor.ts";
import { start } from "./start-monitor.ts";

const INDEX = "<!doctype html><title>Skein</title><script type=module src=/assets/index-Ab3_x-9Z.js></script>";
const SCRIPT = `console.log("${"skein ".repeat(500)}");`;

let root: string;
let pages: string;
let monitor: Monitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-pages-")));
  pages = join(root, "pages");
  await mkdir(join(pages, "assets"), { recursive: true });
  await writeFile(join(root, "outside.txt"), "OUTSIDE");
  await writeFile(join(pages, "index.html"), INDEX);
  await writeFile(join(pages, "assets", "index-Ab3_x-9Z.js"), SCRIPT);
  await writeFile(join(pages, "assets", "icon-finished.svg"), "<svg/>");
  await writeFile(join(pages, "THIRD-PARTY-NOTICES.md"), "# Notices");
  await symlink(join(root, "outside.txt"), join(pages, "assets", "link.js"));
  await symlink(root, join(pages, "up"));
  monitor = await start({ home: join(root, "home"), port: 0, transcriptsHome: join(root, "claude"), pages });
});

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true });
});

const html = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "sec-fetch-site": "none" };

async function browser(): Promise<Readonly<Record<string, string>>> {
  const [given = ""] = (await ask(monitor.loginUrl())).headers["set-cookie"] ?? [];
  return { cookie: given.split(";")[0] ?? "" };
}

const get = async (path: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  await ask(`${monitor.url}${path}`, { headers });

describe("the page", () => {
  it("is shown at its address and at those of its views, to who was let in", async () => {
    const cookie = await browser();
    for (const path of ["/", "/runs", "/runs/abc?filter=tool:Bash", "/workspaces/a/files/src%2Findex.ts", "/apix"]) {
      const { status, text, headers } = await get(path, { ...html, ...cookie });
      expect([path, status, text]).toEqual([path, 200, INDEX]);
      expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
      expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self';");
    }
    expect((await ask(`${monitor.url}/runs`, { ...monitor, headers: html })).text).toBe(INDEX);
  });

  it("is not shown to others, nor is any file of it: who has no cookie is told what to open", async () => {
    for (const path of ["/", "/runs/abc", "/index.html"]) {
      const { status, text, headers } = await get(path, html);
      expect([path, status, text.includes("skein serve"), text.includes("script")]).toEqual([path, 401, true, false]);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    }
    for (const path of ["/assets/index-Ab3_x-9Z.js", "/THIRD-PARTY-NOTICES.md", "/assets/none.js"]) {
      const { status, json, headers } = await get(path, {});
      expect([path, status, json.error.kind, headers["cache-control"]]).toEqual([path, 401, "auth", "no-store"]);
    }
    const cookie = await browser();
    const foreign = { ...cookie, "sec-fetch-site": "cross-site" };
    expect((await get("/assets/index-Ab3_x-9Z.js", foreign)).status).toBe(403);
    expect((await get("/runs", { ...html, ...foreign })).text).not.toContain("script");
    expect((await get("/runs", { ...html, ...cookie, host: "evil.example" })).status).toBe(403);
    expect((await get("/runs", { ...html, ...cookie, origin: "https://evil.example" })).status).toBe(403);
  });

  it("is led to by a code at any of its addresses, without the code, and to no other server", async () => {
    const code = (): string => new URL(monitor.loginUrl()).search.slice(1);
    const target = ({ text }: Answer): string | undefined => /content="0;url=([^"]*)">\n$/u.exec(text)?.[1];
    const deep = await get(`/runs/abc?view=tree&${code()}&to=%22%3E%3Cscript%3E`, html);
    expect([deep.status, target(deep)]).toEqual([200, "/runs/abc?view=tree&amp;to=%22%3E%3Cscript%3E"]);
    expect(deep.headers["set-cookie"]).toHaveLength(1);
    const wrong = await get("/runs/abc?code=wrong", html);
    expect([target(wrong), wrong.headers["set-cookie"]]).toEqual(["/runs/abc", undefined]);
    const odd = await get(`/a"><script>\\b?${code()}`, html);
    expect(target(odd)).toBe("/a%22%3e%3cscript%3e%5cb");
    for (const path of ["//evil.example/runs", "/\\evil.example", "/api/health", "/assets/x"]) {
      const elsewhere = await get(`${path}?${code()}`, html);
      expect([path, elsewhere.status, elsewhere.headers["set-cookie"]]).toEqual([path, 401, undefined]);
    }
  });

  it("has files that a browser keeps where their name is a hash, packed for who takes that", async () => {
    const cookie = await browser();
    const plain = await get("/assets/index-Ab3_x-9Z.js", cookie);
    expect([plain.status, plain.text]).toEqual([200, SCRIPT]);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
    });
    for (const encoding of ["gzip", "br, gzip;q=0.5", "GZIP ; q=1.0"]) {
      const headers = { ...cookie, "accept-encoding": encoding };
      const response = await fetch(`${monitor.url}/assets/index-Ab3_x-9Z.js`, { headers });
      expect([encoding, response.headers.get("content-encoding"), await response.text()]).toEqual([
        encoding,
        "gzip",
        SCRIPT,
      ]);
      expect(Number(response.headers.get("content-length"))).toBeLessThan(SCRIPT.length / 10);
    }
    for (const encoding of ["br", "gzip;q=0", "xgzip"]) {
      const { headers } = await get("/assets/index-Ab3_x-9Z.js", { ...cookie, "accept-encoding": encoding });
      expect([encoding, headers["content-encoding"]]).toEqual([encoding, undefined]);
    }
    const head = await ask(`${monitor.url}/assets/index-Ab3_x-9Z.js`, { ...monitor, method: "HEAD" });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", String(SCRIPT.length)]);
    const icon = await get("/assets/icon-finished.svg", cookie);
    expect([icon.text, icon.headers["cache-control"]]).toEqual(["<svg/>", "no-store"]);
    expect((await get("/THIRD-PARTY-NOTICES.md", cookie)).text).toBe("# Notices");
  });

  it("has no file but its own: no way up, no link, no name that is written otherwise", async () => {
    const headers = await browser();
    const paths = [
      "/../outside.txt",
      "/assets/../../outside.txt",
      "/assets/..%2f..%2foutside.txt",
      "/%2e%2e/outside.txt",
      "/assets/%2e%2e/%2e%2e/outside.txt",
      "/assets\\..\\..\\outside.txt",
      "/assets/link.js",
      "/up/outside.txt",
      "/assets/index-Ab3_x-9Z.js%00",
      "/assets/index-Ab3_x-9Z.js/",
      "/assets",
      "/assets/",
      "/assets//index-Ab3_x-9Z.js",
      "//assets/index-Ab3_x-9Z.js",
      "/__proto__",
      `${root}/outside.txt`,
    ];
    for (const path of paths) {
      for (const accept of ["*/*", "text/html"]) {
        const { status, text } = await get(path, { ...headers, accept });
        // What is no file may be a view of the page.
        const isFine = (status >= 400 && status < 500) || (accept === "text/html" && text === INDEX);
        expect([path, accept, isFine, text.includes("OUTSIDE")]).toEqual([path, accept, true, false]);
      }
    }
    expect((await get("/assets/none.js", { ...headers, ...html })).status).toBe(404);
    expect((await ask(`${monitor.url}/runs`, { ...monitor, method: "POST" })).status).toBe(404);
  });

  it("is a line of text where it was not built, and the new one once it is built anew", async () => {
    const headers = { ...html, ...(await browser()) };
    await rm(join(pages, "index.html"));
    expect(await get("/runs", headers)).toMatchObject({ status: 200, text: expect.stringContaining("is running") });
    await writeFile(join(pages, "assets", "index-NEWNEWNE.js"), "new");
    await writeFile(join(pages, "index.html"), `${INDEX}<!-- new -->`);
    expect((await get("/runs", headers)).text).toBe(`${INDEX}<!-- new -->`);
    expect(await get("/assets/index-NEWNEWNE.js", headers)).toMatchObject({ status: 200, text: "new" });
  });
});
