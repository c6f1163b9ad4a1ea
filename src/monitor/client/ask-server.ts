import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { z } from "zod";
import { parseJson } from "../../core/internal.ts";
import type { MonitorAddress } from "./address.ts";
import { connectionFailure, notSkein, refusalOf } from "./server-failure.ts";

interface Asked<Data extends z.ZodType> {
  readonly path: string;
  /** What is sent, by POST; nothing, by GET, where it is left out. */
  readonly body?: object;
  readonly data: Data;
  readonly signal?: AbortSignal | undefined;
}

/** No answer that is asked for here is larger. */
const MOST_BYTES = 64 * 1024 ** 2;

const SILENCE_MS = 150_000;

/** Asks a monitor. It follows no redirect: the token is for this server alone. */
export async function askServer<Data extends z.ZodType>(
  { url, token, ca }: MonitorAddress,
  { path, body, data, signal }: Asked<Data>,
): Promise<z.infer<Data>> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(new URL(path, url), {
    method: sent === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${token}`,
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
    },
    agent: false,
    timeout: SILENCE_MS,
    ...(ca && { ca }),
    ...(signal && { signal }),
  });
  request.on("timeout", () => request.destroy(new Error("it says nothing")));
  request.end(sent);
  const { status, text } = await readAnswer(request).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw connectionFailure(error, url);
  });
  if (status !== 200) throw refusalOf(status, text, url);
  const answer = data.safeParse(parseJson(text));
  if (answer.success) return answer.data;
  throw notSkein(url.origin, z.prettifyError(answer.error).split("\n")[0] ?? "");
}

async function readAnswer(
  request: ReturnType<typeof httpRequest>,
): Promise<{ readonly status: number; readonly text: string }> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_BYTES) throw new Error("it answers without end");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
}
