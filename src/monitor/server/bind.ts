import { readFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { SkeinError } from "../../core/internal.ts";
import { readToken, readTokenFile } from "../access/token.ts";
import { DEFAULT_PORT } from "../default-port.ts";

/** Where a monitor listens, and who may reach it. */
export interface BindOptions {
  /** 4269 by default; 0 picks a free one. */
  readonly port?: number | undefined;
  /** 127.0.0.1 by default. Another address than loopback needs `allowRemote`, a token of its own, and TLS or a proxy. */
  readonly host?: string | undefined;
  readonly allowRemote?: boolean | undefined;
  /** A file with the token, readable by its owner alone; the one in the data folder by default. */
  readonly tokenFile?: string | undefined;
  /** The files with the certificate and its key, as PEM. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** The address at which a proxy that speaks TLS offers the server. */
  readonly proxyUrl?: string | undefined;
}

/** How a monitor listens, with everything read that it needs. */
export interface Bind {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly proxyUrl: URL | undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Reads what a monitor listens with; refuses what would open it to others by mistake. */
export async function readBind(dataHome: string, options: BindOptions): Promise<Bind> {
  const { port = DEFAULT_PORT, host = "127.0.0.1", tls, tokenFile } = options;
  const proxyUrl = options.proxyUrl === undefined ? undefined : readProxyUrl(options.proxyUrl);
  if (!LOOPBACK.has(host)) checkRemote(host, options);
  const token = tokenFile === undefined ? await readToken(dataHome) : await readTokenFile(tokenFile);
  return {
    host,
    port,
    token,
    proxyUrl,
    tls: tls && { cert: await readPem(tls.certFile), key: await readPem(tls.keyFile) },
  };
}

function checkRemote(host: string, { allowRemote = false, tokenFile, tls, proxyUrl }: BindOptions): void {
  const missing = [
    !allowRemote && "--allow-remote",
    tokenFile === undefined && "--token-file",
    tls === undefined && proxyUrl === undefined && "--tls-cert and --tls-key, or --proxy-url",
  ].filter((flag) => flag !== false);
  if (missing.length === 0) return;
  throw new SkeinError(`Listening on ${host} opens the server to other machines, and needs ${missing.join(", ")}`, {
    kind: "policy",
    target: "--host",
    hint: "Leave `host` out to listen on this machine alone, and reach it through ssh -L",
  });
}

function readProxyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.pathname === "/") return url;
  throw new SkeinError(`The proxy's address must be https:// and a name, not ${JSON.stringify(text)}`, {
    kind: "usage",
    target: "--proxy-url",
  });
}

async function readPem(path: string): Promise<Buffer> {
  return await readFile(path).catch((cause: unknown) => {
    throw new SkeinError(`${path} cannot be read: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      cause,
    });
  });
}

/** The names by which the server is called, with its port: any other was bent to its address by somebody. */
export function ownNames({ host, proxyUrl }: Bind, port: number): ReadonlySet<string> {
  const local = LOOPBACK.has(host) ? [...LOOPBACK] : isEvery(host) ? [...LOOPBACK, ...machineNames()] : [host];
  const names = local.map((name) => `${name.includes(":") ? `[${name}]` : name}:${port}`.toLowerCase());
  return new Set([...names, ...(proxyUrl ? [proxyUrl.host.toLowerCase()] : [])]);
}

function isEvery(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function machineNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
