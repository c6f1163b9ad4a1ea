import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** The files of the built page. They are listed and looked up by their whole name, so that no address, however it climbs, is made a path. */
export interface PageFiles {
  /** Whether the page was built. */
  isThere(): Promise<boolean>;
  /** Answers with the page itself. */
  sendPage(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers with the file at an address; false where there is none. */
  sendFile(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const INDEX = "/index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** What is small by itself already. */
const PACKED = new Set([".ico", ".png", ".woff2"]);

/** As Vite names what it builds: eight characters of a hash, which words in small letters are not. */
const HASHED = /^\/assets\/.+-(?=[\w-]*[A-Z0-9_])[\w-]{8}\.\w+$/u;

const YEAR_SECONDS = 31_536_000;

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Packed when it is first asked for. */
  packed?: Promise<Buffer>;
}

export function openPageFiles(folder: string): PageFiles {
  let files: ReadonlyMap<string, PageFile> = new Map();
  let listedFor: string | undefined;

  /** Who builds the page anew writes its first file anew. */
  async function list(): Promise<ReadonlyMap<string, PageFile>> {
    const index = await stat(join(folder, INDEX)).catch(() => undefined);
    const signature = index?.isFile() ? `${index.ino} ${index.mtimeMs} ${index.size}` : undefined;
    if (signature === listedFor) return files;
    files = signature === undefined ? new Map() : await listFiles(folder);
    listedFor = signature;
    return files;
  }

  async function send(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const file = (await list()).get(pathname);
    if (!file) return false;
    const isPacked = !PACKED.has(extname(file.path)) && takesGzip(request);
    const bytes = isPacked ? await packed(file) : await readPlain(file.path);
    if (HASHED.test(pathname)) response.setHeader("cache-control", `public, max-age=${YEAR_SECONDS}, immutable`);
    response.writeHead(200, {
      "content-type": file.type,
      "content-length": bytes.length,
      vary: "accept-encoding",
      ...(isPacked && { "content-encoding": "gzip" }),
    });
    response.end(request.method === "HEAD" ? undefined : bytes);
    return true;
  }

  return {
    isThere: async () => (await list()).has(INDEX),
    sendPage: async (request, response) => void (await send(INDEX, request, response)),
    sendFile: send,
  };
}

/** Only plain files: a link may lead out of the folder. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = `/${relative(folder, path).replaceAll(sep, "/")}`;
        return [name, { path, type: TYPES[extname(path)] ?? "application/octet-stream" }];
      }),
  );
}

/** It may have become a link since it was listed. */
async function readPlain(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

const pack = promisify(gzip);

async function packed(file: PageFile): Promise<Buffer> {
  file.packed ??= readPlain(file.path).then(async (bytes) => await pack(bytes, { level: 9 }));
  try {
    return await file.packed;
  } catch (error) {
    delete file.packed;
    throw error;
  }
}

function takesGzip({ headers }: IncomingMessage): boolean {
  const given = (headers["accept-encoding"] ?? "").split(",");
  return given.some((each) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/iu.test(each));
}
