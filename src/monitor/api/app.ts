import { Hono, type Context } from "hono";
import { z } from "zod";
import { SkeinError, toSkeinError } from "../../core/internal.ts";
import { toErrorData } from "../../protocol/index.ts";
import { ERROR_STATUSES } from "./error-status.ts";
import { DOWNLOADS } from "./sessions/download-routes.ts";
import { describeApi } from "./open-api.ts";
import type { ApiContext, Download, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";

/** What answers requests that were let in. */
export function createApp(context: ApiContext, version: string): Hono {
  const app = new Hono();
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/\{(\w+)\}/gu, ":$1");
    app.on(route.method, path, (request) => answer(route, request, context));
  }
  for (const download of DOWNLOADS) {
    const path = download.path.replaceAll(/\{(\w+)\}/gu, ":$1");
    app.get(path, (request) => answerFile(download, request, context));
  }
  app.get("/api/openapi.json", (request) => request.json(describeApi(ROUTES, DOWNLOADS, version)));
  app.notFound((request) => answerError(request, "api", unknownAddress(request)));
  app.onError((error, request) => answerError(request, "api", toSkeinError(error)));
  return app;
}

async function answer(route: Route, request: Context, context: ApiContext): Promise<Response> {
  try {
    if (route.method !== "GET" && context.readOnly) throw readOnly(route.operation);
    const body = await readBody(route, request.req.raw);
    return request.json(await route.answer({ ...readGiven(route, request), body }, context));
  } catch (error) {
    return answerError(request, route.operation, toSkeinError(error));
  }
}

/** What agents wrote is a file to keep and no page of this server: opened by mistake, nothing in it runs. */
async function answerFile(download: Download, request: Context, context: ApiContext): Promise<Response> {
  try {
    const given = read(download.parameters, request.req.param());
    read(z.strictObject({}), request.req.query());
    const { html, name } = await download.answer(given, context);
    return request.body(html, 200, {
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/gu, "_")}.html"`,
      "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'",
    });
  } catch (error) {
    return answerError(request, download.operation, toSkeinError(error));
  }
}

function readOnly(operation: string): SkeinError {
  return new SkeinError("This server only shows: it was started to change nothing", {
    kind: "policy",
    target: operation,
    hint: "Start it without `readOnly`",
  });
}

function unknownAddress({ req: { path, method } }: Context): SkeinError {
  return new SkeinError(`There is nothing at ${path}${method === "GET" ? "" : ` that takes ${method}`}`, {
    kind: "state_not_found",
    target: path,
    hint: "/api/openapi.json lists what there is",
  });
}

function readGiven(route: Route, { req: request }: Context): Readonly<Record<string, unknown>> {
  const query = request.queries();
  const twice = Object.entries(query).find(([, values]) => values.length > 1)?.[0];
  if (twice !== undefined) throw wrong(twice, "it is given twice");
  const single = Object.fromEntries(Object.entries(query).map(([name, [value]]) => [name, value]));
  return { ...read(route.query, single), ...read(route.parameters, request.param()) };
}

/** A form of another page can send neither JSON by its name nor an Origin of this server's: so a body is JSON and says so. */
async function readBody({ body, mostBodyBytes }: Route, request: Request): Promise<Readonly<Record<string, unknown>>> {
  if (!body) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/iu.test(type)) throw wrong("Content-Type", "it must be application/json");
  const text = await readText(request, mostBodyBytes);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new SkeinError(`The body is no JSON: ${(cause as Error).message}`, { kind: "parse", target: "body", cause });
  }
  return read(body, given, "body");
}

/** No more is held than may be sent. */
async function readText({ body }: Request, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > mostBytes) {
      throw new SkeinError(`The body is larger than ${mostBytes} bytes`, {
        kind: "resource_exhausted",
        target: "body",
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function read(schema: z.ZodObject, given: unknown, whole = ""): Readonly<Record<string, unknown>> {
  const { data, error } = schema.safeParse(given);
  if (data) return data;
  const [issue] = error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  throw wrong(unknown ?? (z.core.toDotPath(issue?.path ?? []) || whole), issue?.message ?? "it is not understood");
}

function wrong(name: string, why: string): SkeinError {
  return new SkeinError(`${name}: ${why}`, {
    kind: "usage",
    target: name,
    hint: "/api/openapi.json says what is taken",
  });
}

function answerError(request: Context, operation: string, error: SkeinError): Response {
  return request.json({ error: toErrorData(operation, error) }, ERROR_STATUSES[error.kind] ?? 500);
}
