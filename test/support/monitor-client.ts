import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

/** What a monitor answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
  readonly json: any;
}

/** Asks a monitor, with whatever headers a test wants to be sent. */
export async function ask(
  url: string,
  { token, headers = {}, method = "GET", body }: AskOptions = {},
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // The path is sent as it is given: a URL would lose the dots of one that climbs.
  const [, origin = "", path = ""] = /^(https?:\/\/[^/]+)(.*)$/u.exec(url) ?? [];
  const request = httpRequest(origin, {
    path: path || "/",
    method,
    headers: { ...authorization, ...headers },
    agent: false,
  });
  // Who is refused may be so before all was sent.
  request.on("error", () => {});
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as unknown) : undefined,
  };
}

interface AskOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string | Buffer;
}

/** Somebody who listens to a monitor, and keeps all that it says. */
export interface Listener extends Disposable {
  readonly socket: WebSocket;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of them, it compares whole
  readonly messages: any[];
  /** Waits until what was said is enough. */
  until(isEnough: (messages: Listener["messages"]) => boolean): Promise<void>;
  say(message: unknown): void;
}

export async function listenTo(
  url: string,
  {
    token,
    query = "",
    headers = {},
  }: { readonly token: string; readonly query?: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Listener> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const messages: Listener["messages"] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (data) => {
    messages.push(JSON.parse((data as Buffer).toString()));
    for (const wake of waiting) wake();
  });
  await once(socket, "open");
  return {
    socket,
    messages,
    async until(isEnough) {
      if (isEnough(messages)) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          if (!isEnough(messages)) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    },
    say: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    [Symbol.dispose]: () => socket.terminate(),
  };
}

/** `skein serve` in a process of its own. */
export interface ServedMonitor {
  readonly process: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly loginUrl: string;
  /** What it has written to both outputs. */
  output(): string;
}

/** Starts one from the built package: `npm test` builds it first. */
export async function serveMonitor(
  home: string,
  flags: readonly string[] = ["--port", "0"],
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedMonitor> {
  const args = ["dist/cli/main.js", "serve", ...flags, "--output-format", "stream-json"];
  const env = { PATH: process.env["PATH"], SKEIN_HOME: home, HOME: home, ...variables };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const [first] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, login_url: loginUrl } = JSON.parse(first) as { readonly url: string; readonly login_url: string };
  const token = (await readFile(join(home, "monitor", "token"), "utf8")).trim();
  return { process: child, url, token, loginUrl, output: () => written };
}
