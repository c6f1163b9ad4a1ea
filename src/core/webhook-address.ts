const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Why something may not be sent to an address; undefined where it may: by `https:`, or to this very machine. */
export function webhookAddressMistake(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return "must be an https:// address";
  if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) {
    return "must begin with https://, or lead to this machine: others on the way could read what is sent";
  }
  return url.username || url.password ? "must have no name and password in it" : undefined;
}
