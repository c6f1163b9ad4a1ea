import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  dataHome,
  defined,
  identify,
  isoTime,
  monitorFolder,
  packageRoot,
  PRIVATE_FOLDER,
  readServerFile,
  serverFilePath,
  SkeinError,
  systemClock,
  type Clock,
} from "../../core/internal.ts";
import { LockHeldError, takeLock, type HeldLock } from "../../database/index.ts";
import { writeDurably } from "../../git/index.ts";
import { readOwnPackage } from "../../protocol/index.ts";
import { createFigureReader, createStateReader, openStores } from "../../trace/internal.ts";
import type { Access } from "../access/guard.ts";
import { createLogin } from "../access/login.ts";
import { createSlowDown } from "../access/slow-down.ts";
import type { Alert } from "../alerts/alert-data.ts";
import type { AlertSettings } from "../alerts/alert-settings.ts";
import type { WorkspaceBudget } from "../budgets/read-budgets.ts";
import { createApp } from "../api/app.ts";
import { createOpenTranscripts } from "../api/sessions/open-transcripts.ts";
import { createOpenWorkspaces } from "../api/workspaces/open-workspaces.ts";
import { openSessionFlags } from "../flags/session-flags.ts";
import { createLaunches } from "../launches/launches.ts";
import type { RetentionSettings } from "../retention/apply-retention.ts";
import { keepRetention } from "../retention/keep-retention.ts";
import { openRuns, type Runs } from "../runs/runs.ts";
import { createEventStream } from "../stream/event-stream.ts";
import { ownNames, readBind, type Bind, type BindOptions } from "./bind.ts";
import { openEventSocket } from "./event-socket.ts";
import { createFront } from "./front.ts";
import { endServer, handle, listen } from "./listen.ts";
import { keepDoing } from "./keep-doing.ts";
import { openPageFiles } from "./page-files.ts";
import { leadTo } from "./page.ts";
import { startAlerts, withoutSecrets } from "./start-alerts.ts";

/** What a monitor watches, and how it listens. */
export interface MonitorOptions extends BindOptions {
  /** Skein's data folder; the user's own by default. */
  readonly home?: string | undefined;
  /** The folder of Claude Code's projects' folders; the user's own by default. */
  readonly transcriptsHome?: string | undefined;
  /** Whether it only shows, and refuses all that would change something. */
  readonly readOnly?: boolean | undefined;
  /** Whether whoever has the token may name commands that run as the user, outside any sandbox: rewards of searches, turns without permissions. */
  readonly allowCommands?: boolean | undefined;
  /** The environment of the runs that it starts, and where the secrets of webhooks are found, which no run is given; its own by default. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** What it tells of by itself, and whom; nothing by default. */
  readonly alerts?: AlertSettings | undefined;
  /** What agents in a workspace may spend, by its path; without it the server tells of no budgets. */
  readonly budgetOf?: ((workspace: string) => Promise<WorkspaceBudget>) | undefined;
  /** Is called when an alert fires, and when it is over. */
  readonly onAlert?: ((alert: Alert) => void) | undefined;
  /** How long what is no record is kept in the data folder; applied once a day, and not by one that is `readOnly`. Nothing is removed by default. */
  readonly retention?: RetentionSettings | undefined;
  readonly clock?: Clock | undefined;
}

/** A server that shows what is recorded and what happens now. What it shows is in the stores; it keeps what people say of sessions, and alerts. */
export interface Monitor extends AsyncDisposable {
  /** Where it answers. */
  readonly url: string;
  readonly port: number;
  /** The token that programs send: `Authorization: Bearer …`. */
  readonly token: string;
  /** An address for a browser, with a code that works once. */
  loginUrl(): string;
  /** A file in the data folder that leads a browser there: only its owner can read it. */
  loginFile(): Promise<string>;
  /** The alerts that hold. */
  alerts(): Promise<readonly Alert[]>;
  close(): Promise<void>;
}

/** What only the server's own tests give. */
interface ServerOptions extends MonitorOptions {
  /** The folder of the built page; the one in the package by default. */
  readonly pages?: string | undefined;
}

/** Starts a monitor. There is one for a data folder at a time. */
export async function start(options: ServerOptions): Promise<Monitor> {
  const parts: (AsyncDisposable | Disposable)[] = [];
  const keep = <Part extends AsyncDisposable | Disposable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  try {
    return await assemble(options, { keep, close: async () => await endAll(parts) });
  } catch (error) {
    await endAll(parts);
    throw error;
  }
}

interface Parts {
  /** Has a part ended when all is, before those that it was made of. */
  keep<Part extends AsyncDisposable | Disposable>(part: Part): Part;
  close(): Promise<void>;
}

async function assemble(options: ServerOptions, { keep, close }: Parts): Promise<Monitor> {
  const { clock = systemClock, readOnly = false, allowCommands = false, env = process.env, transcriptsHome } = options;
  const home = resolve(options.home ?? dataHome());
  keep(await takePlace(home));
  const bind = await readBind(home, options);
  const { server, port } = await listen(bind);
  keep({ [Symbol.asyncDispose]: async () => await endServer(server) });
  const startedAtMs = clock.now();
  const stream = createEventStream(() => runs);
  const runs: Runs = await openRuns(home, stream);
  const socket = keep(await openEventSocket({ dataHome: home, clock, ...follow(runs) }));
  const workspaces = keep(createOpenWorkspaces(home));
  const transcripts = keep(createOpenTranscripts({ home, ...defined({ transcriptsHome }) }, clock));
  const stores = keep(openStores(home));
  const figures = createFigureReader(stores);
  const url = urlOf(bind, port);
  const access = createAccess(bind, { port, url, clock });
  const flags = await openSessionFlags(home, { clock, isReadOnly: readOnly });
  const launches = createLaunches(home, { runs, clock, env: withoutSecrets(env, options.alerts) });
  const { tellers } = socket;
  const alerts = await startAlerts({ ...options, home, env, clock }, { keep, runs, figures, tellers, stream });
  const watched = {
    dataHome: home,
    clock,
    startedAtMs,
    readOnly,
    allowCommands,
    runs,
    workspaces,
    transcripts,
    flags,
    figures,
    states: createStateReader(stores),
    launches,
    alerts,
    budgetOf: options.budgetOf,
  };
  const pages = openPageFiles(options.pages ?? join(packageRoot(), "dist", "dashboard"));
  const app = createApp(
    { ...watched, tellers, request: socket.request, stream: () => stream },
    readOwnPackage().version,
  );
  handle(server, keep(createFront(app, stream, { access, pages })));
  keep(keepDoing(runs.scan, LOOK_EVERY_MS, clock));
  if (options.retention && !readOnly)
    keep(keepRetention(options.retention, { home, clock, ...defined({ transcriptsHome }) }));
  keep(await announce(home, { url, socket: socket.path, startedAt: isoTime(startedAtMs) }));
  const loginUrl = (): string => `${bind.proxyUrl?.origin ?? url}/?code=${access.login.createCode()}`;
  return {
    url,
    port,
    token: bind.token,
    loginUrl,
    alerts: async () => await alerts.store.list({ isHeld: true, limit: 1000, offset: 0 }),
    loginFile: async () => await writeLoginFile(home, loginUrl()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function endAll(parts: (AsyncDisposable | Disposable)[]): Promise<void> {
  for (const part of parts.splice(0).toReversed()) {
    if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
    else part[Symbol.dispose]();
  }
}

/** One server at a time looks after a data folder: another would take its socket away. */
async function takePlace(home: string): Promise<HeldLock> {
  const folder = monitorFolder(home);
  await mkdir(folder, PRIVATE_FOLDER).catch((cause: unknown) => {
    throw new SkeinError(`The folder ${folder} cannot be created: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: folder,
      hint: "Check that Skein's data folder is writable",
      cause,
    });
  });
  try {
    return await takeLock(join(folder, "server.lock"), { waitMs: -1 });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    const server = await readServerFile(home);
    throw new SkeinError(`A server runs already for ${home}${server ? `, at ${server.url}` : ""}: ${error.holder}`, {
      kind: "conflict",
      target: server?.url ?? home,
      hint: "Use that one, or end it first",
      cause: error,
    });
  }
}

function follow(runs: Runs) {
  return { written: runs.follow, delta: runs.delta, changed: runs.scan };
}

function urlOf({ host, tls }: Bind, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${tls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function createAccess(
  bind: Bind,
  { port, url, clock }: { readonly port: number; readonly url: string; readonly clock: Clock },
): Access {
  const hosts = ownNames(bind, port);
  const scheme = new URL(url).protocol;
  const origins = new Set([...hosts].map((host) => `${host === bind.proxyUrl?.host ? "https:" : scheme}//${host}`));
  const login = createLogin(bind.token, clock);
  // Cookies know no ports: two servers of one machine must not take each other's.
  return { token: bind.token, login, slowDown: createSlowDown(clock), hosts, origins, cookieName: `skein-${port}` };
}

async function writeLoginFile(home: string, url: string): Promise<string> {
  const path = join(monitorFolder(home), "open.html");
  await writeDurably(path, leadTo(url));
  return path;
}

/** What nobody told of is looked at: runs of processes that could not, and processes that were killed. */
const LOOK_EVERY_MS = 1000;

/** Says in the data folder where the server is, so that every process finds it. */
async function announce(
  home: string,
  told: { readonly url: string; readonly socket: string; readonly startedAt: string },
): Promise<AsyncDisposable> {
  const path = serverFilePath(home);
  await writeDurably(path, `${JSON.stringify({ version: 1, process: await identify(process.pid), ...told })}\n`);
  return { [Symbol.asyncDispose]: async () => await rm(path, { force: true }) };
}
