import { SkeinError } from "../../core/internal.ts";

/** Where a monitor is, what it is shown, and who vouches for it. */
export interface MonitorAddress {
  readonly url: URL;
  readonly token: string;
  /** Certificates that are trusted beside the system's, as PEM. */
  readonly ca?: Buffer | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** Reads a monitor's address. The token crosses no network in the clear: another machine is spoken to by https, or through ssh. */
export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress =
    url && /^https?:$/u.test(url.protocol) && url.pathname === "/" && url.username + url.password === "";
  if (!isAddress || url.search !== "" || url.hash !== "") {
    throw new SkeinError(`${JSON.stringify(text)} is no server's address`, {
      kind: "usage",
      target: text,
      hint: "Give https:// or http:// with a name and a port, as http://127.0.0.1:4269",
    });
  }
  if (url.protocol === "https:" || LOOPBACK.test(url.hostname)) return url;
  throw new SkeinError(`The token would cross the network to ${url.host} for everybody to read`, {
    kind: "policy",
    target: url.origin,
    hint: "Use https://, or ssh -L 4269:127.0.0.1:4269 with the host's name, and http://127.0.0.1:4269",
  });
}
