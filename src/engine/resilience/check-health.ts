import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { dataHome, defined, isoTime, systemClock, toSkeinError, type Clock } from "../../core/internal.ts";
import { detectCredentials } from "../start-up/credentials.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import { findCli } from "../start-up/find-cli.ts";
import { endpointOf, type BreakerState } from "./circuit-breaker.ts";

/** What the machine is fit for, and why. */
export interface HealthReport {
  /** The worst of the checks. */
  readonly level: HealthLevel;
  readonly checkedAt: string;
  readonly checks: readonly HealthCheck[];
}

/** What is looked at. */
export interface HealthOptions {
  /** A resilient engine, whose breakers are looked at too. */
  readonly engine?: { breakers(): readonly BreakerState[] };
  /** The environment that turns run in; the process's own by default. */
  readonly env?: EnvVariables;
  /** The CLI to look at instead of the one that comes with the SDK. */
  readonly cliPath?: string;
  /** The folder whose disk is looked at; Skein's own by default. */
  readonly dataFolder?: string;
  /** Whether to send the endpoint a request. By default only one on this machine is. No credentials are sent. */
  readonly probeEndpoint?: boolean;
  /** How long the endpoint may take to answer. */
  readonly probeTimeoutMs?: number;
  /** The machine's clock by default. */
  readonly clock?: Clock;
}

/** Looks at everything that a turn needs: the CLI, credentials, the endpoint, the breakers, the disk. */
export async function checkHealth(options: HealthOptions = {}): Promise<HealthReport> {
  const { engine, env = process.env, clock = systemClock } = options;
  const checks = await Promise.all([
    checkCli(options.cliPath),
    checkCredentials(env),
    checkEndpoint({ env, probe: options.probeEndpoint, timeoutMs: options.probeTimeoutMs ?? 5000 }),
    ...(engine ? [checkBreakers(engine.breakers())] : []),
    checkDisk(options.dataFolder ?? dataHome()),
  ]);
  return { level: worstLevel(checks.map(({ level }) => level)), checkedAt: isoTime(clock.now()), checks };
}

async function checkCli(cliPath: string | undefined): Promise<HealthCheck> {
  try {
    const { path, version } = await findCli(cliPath);
    return { name: "claude-cli", level: "healthy", detail: `${version} at ${path}` };
  } catch (error) {
    const { message, hint } = toSkeinError(error);
    return { name: "claude-cli", level: "failed", detail: message, ...defined({ fix: hint }) };
  }
}

async function checkCredentials(env: EnvVariables): Promise<HealthCheck> {
  const kinds = await detectCredentials(env);
  if (kinds.length > 0) return { name: "credentials", level: "healthy", detail: kinds.join(", ") };
  const fix =
    "Set ANTHROPIC_API_KEY, or log in once with the claude command; without either, only the offline model works.";
  return { name: "credentials", level: "critical", detail: "none", fix };
}

async function checkBreakers(states: readonly BreakerState[]): Promise<HealthCheck> {
  const open = states.filter(({ state }) => state === "open");
  const trying = states.filter(({ state }) => state === "half-open");
  if (open.length + trying.length === 0) return { name: "breakers", level: "healthy", detail: "closed" };
  return {
    name: "breakers",
    level: open.length > 0 ? "critical" : "warning",
    detail: [...open, ...trying].map(({ key, state, failures }) => `${key}: ${state}, ${failures} failures`).join("; "),
    fix: "Wait until turns are let through again, or use another model.",
  };
}

/** From best to worst; `unknown` decides only where nothing is known. */
export const HEALTH_LEVELS = ["unknown", "healthy", "warning", "critical", "failed"] as const;

/**
 * How well something is: `warning` will need care, `critical` keeps turns from succeeding now but may pass or be done
 * without, `failed` is broken until somebody mends it, `unknown` was not looked at.
 */
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

/** One thing that was looked at. */
export interface HealthCheck {
  readonly name: "claude-cli" | "credentials" | "endpoint" | "breakers" | "disk";
  readonly level: HealthLevel;
  readonly detail: string;
  /** What to do, where something is wrong. */
  readonly fix?: string;
}

export function worstLevel(levels: readonly HealthLevel[]): HealthLevel {
  return HEALTH_LEVELS.findLast((level) => levels.includes(level)) ?? "unknown";
}

const GIB = 1024 ** 3;

export async function checkDisk(folder: string, freeBytesOf = freeBytesAt): Promise<HealthCheck> {
  const freeBytes = await freeBytesOf(folder);
  if (freeBytes === undefined) return { name: "disk", level: "unknown", detail: `${folder} cannot be read` };
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB free at ${folder}`;
  if (freeBytes >= GIB) return { name: "disk", level: "healthy", detail };
  const level = freeBytes < GIB / 10 ? "critical" : "warning";
  return { name: "disk", level, detail, fix: "Free some space: recorded work may not fit." };
}

/** A folder that is not there yet will be on its parent's disk. */
async function freeBytesAt(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && dirname(folder) !== folder ? await freeBytesAt(dirname(folder)) : undefined;
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Asks the endpoint for anything at all: every answer but a server's own failure shows that it is there. */
export async function checkEndpoint(options: {
  readonly env: EnvVariables;
  readonly probe?: boolean | undefined;
  readonly timeoutMs: number;
}): Promise<HealthCheck> {
  const endpoint = endpointOf(options.env);
  if (!URL.canParse(endpoint)) return { name: "endpoint", level: "unknown", detail: `${endpoint}: no address to ask` };
  if (!(options.probe ?? LOOPBACK.test(new URL(endpoint).hostname))) {
    return { name: "endpoint", level: "unknown", detail: `${endpoint}: not asked` };
  }
  const startedAt = performance.now();
  try {
    const signal = AbortSignal.timeout(options.timeoutMs);
    const { status } = await fetch(endpoint, { method: "HEAD", redirect: "manual", signal });
    const detail = `${endpoint} answered ${status} in ${Math.round(performance.now() - startedAt)} ms`;
    if (status < 500) return { name: "endpoint", level: "healthy", detail };
    return { name: "endpoint", level: "critical", detail, fix: "Wait: the API is having trouble." };
  } catch (error) {
    const fix = "Check ANTHROPIC_BASE_URL, the network and the proxy.";
    return { name: "endpoint", level: "critical", detail: `${endpoint}: ${reasonOf(error)}`, fix };
  }
}

/** The system's code for it: fetch itself only says that it failed. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string; readonly message: string } };
  return name === "TimeoutError" ? "no answer in time" : (cause?.code ?? cause?.message ?? name);
}
