import type { IncomingMessage } from "node:http";
import { SkeinError } from "../../core/internal.ts";
import type { Login } from "./login.ts";
import type { SlowDown } from "./slow-down.ts";
import { isSameSecret } from "./token.ts";

/** What a request has to show. */
export interface Access {
  readonly token: string;
  readonly login: Login;
  readonly slowDown: SlowDown;
  /** The names and ports by which the server may be called, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** The addresses from which a page may call it. */
  readonly origins: ReadonlySet<string>;
  readonly cookieName: string;
}

/** The error with which a request is refused; undefined where it may pass. */
export async function refuse(request: IncomingMessage, access: Access): Promise<SkeinError | undefined> {
  return wrongPlace(request, access) ?? (await wrongToken(request, access));
}

/**
 * Whether a request comes from where it may: by a name of this server, so that no foreign name was bent to its address, and from no page but its own. A
 * browser says both by itself, and no page can forge them.
 */
export function wrongPlace(
  { headers }: Pick<IncomingMessage, "headers">,
  { hosts, origins }: Access,
): SkeinError | undefined {
  if (!hosts.has((headers.host ?? "").toLowerCase())) {
    return new SkeinError("The server does not answer to this name", {
      kind: "policy",
      target: "Host",
      hint: "Use the address that skein serve printed",
    });
  }
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isForeign = origin !== undefined && !origins.has(origin.toLowerCase());
  if (!isForeign && (site === undefined || site === "same-origin" || site === "none")) return undefined;
  return new SkeinError("Another site's page may not ask this server", { kind: "policy", target: "Origin" });
}

async function wrongToken(request: IncomingMessage, access: Access): Promise<SkeinError | undefined> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const given = /^Bearer +(\S+)$/iu.exec(authorization)?.[1] ?? "";
    return isSameSecret(given, access.token) ? undefined : await wrong(access);
  }
  const cookie = readCookie(request, access.cookieName);
  if (cookie === undefined) return unknown("No token was given");
  if (!access.login.accepts(cookie)) return await wrong(access);
  // A cookie is sent by the browser itself: whoever changes something or listens has to be the server's own page.
  const needsOrigin = request.method !== "GET" || request.headers.upgrade !== undefined;
  if (!needsOrigin || request.headers.origin !== undefined) return undefined;
  return new SkeinError("A browser has to say which page asks", { kind: "policy", target: "Origin" });
}

async function wrong({ slowDown }: Access): Promise<SkeinError> {
  if (await slowDown.afterFailure()) return unknown("The token is wrong");
  return new SkeinError("Too many wrong tokens", { kind: "rate_limit", retryable: true, hint: "Wait a minute" });
}

function unknown(message: string): SkeinError {
  return new SkeinError(message, {
    kind: "auth",
    hint: "Open the address that skein serve printed, or send Authorization: Bearer with the token in the data folder's monitor/token",
  });
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
