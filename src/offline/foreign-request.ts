import type { IncomingMessage } from "node:http";

/** The names under which a program on this machine reaches its loopback. */
const OWN_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** What a browser says of a request that no other page made: typed by a person, or made by the server's own page. */
const OWN_SITES = new Set(["none", "same-origin"]);

/**
 * Why a request does not come from a program on this machine, but through somebody's browser; undefined where it does. A page
 * can point a name of its own at 127.0.0.1, which shows in `Host`, and can send to 127.0.0.1 from its own name, which shows in
 * `Origin` or `Sec-Fetch-Site`.
 */
export function foreignRequest({ headers, url = "" }: IncomingMessage): string | undefined {
  const { host = "", origin } = headers;
  if (!isOwnAddress(`http://${host}`)) return `The host ${JSON.stringify(host)} is not this machine's loopback`;
  if (origin !== undefined && origin !== `http://${host}`) {
    return `The origin ${JSON.stringify(origin)} is another site`;
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && !OWN_SITES.has(site)) return "The request was made by another site's page";
  // A whole address in the place of a path is what a proxy is asked for.
  return url.startsWith("/") ? undefined : "The request is for another host";
}

function isOwnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, username, password, pathname, search, hash } = new URL(address);
  return OWN_NAMES.has(hostname) && [username, password, search, hash].every((part) => part === "") && pathname === "/";
}
