import type { Environment } from "../start-up/environment.ts";
import { endpointOf } from "./breaker-key.ts";
import type { HealthCheck } from "./health-level.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Asks the endpoint for anything at all: every answer but a server's own failure shows that it is there. */
export async function checkEndpoint(options: {
  readonly env: Environment;
  /** By default only an endpoint on this machine is asked. */
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
    const { status } = await fetch(endpoint, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(options.timeoutMs),
    });
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
