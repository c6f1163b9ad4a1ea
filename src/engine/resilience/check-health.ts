import { defined, dataHome, isoTime, systemClock, toSkeinError, type Clock } from "../../core/index.ts";
import { detectCredentials } from "../start-up/credentials.ts";
import type { Environment } from "../start-up/environment.ts";
import { findCli } from "../start-up/find-cli.ts";
import { checkDisk } from "./check-disk.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import type { BreakerState } from "./circuit-breaker.ts";
import { worstLevel, type HealthCheck, type HealthLevel } from "./health-level.ts";

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
  readonly env?: Environment;
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
    ...(engine ? [Promise.resolve(checkBreakers(engine.breakers()))] : []),
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

async function checkCredentials(env: Environment): Promise<HealthCheck> {
  const kinds = await detectCredentials(env);
  if (kinds.length > 0) return { name: "credentials", level: "healthy", detail: kinds.join(", ") };
  return {
    name: "credentials",
    level: "critical",
    detail: "none",
    fix: "Set ANTHROPIC_API_KEY, or log in once with the claude command; without either, only the offline model works.",
  };
}

function checkBreakers(states: readonly BreakerState[]): HealthCheck {
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
