import type { IncomingMessage } from "node:http";

/** As much as the API takes. */
const LIMIT_BYTES = 32 * 1024 * 1024;

/** Reads a request's body as text, up to the API's own limit; undefined for one that is longer. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= LIMIT_BYTES) chunks.push(chunk);
  }
  return sizeBytes > LIMIT_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}
