import { Hono, type Context } from "hono";
import { z } from "zod";
import { SkeinError, toSkeinError } from "../../core/internal.ts";
import { toErrorData } from "../../protocol/index.ts";
import { ERROR_STATUSES } from "./error-status.ts";
import { describeApi } from "./open-api.ts";
import type { ApiContext, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";

/** What answers requests that were let in. */
export function createApp(context: ApiContext, version: string): Hono {
  const app = new Hono();
  for (const route of ROUTES) {
    app.get(route.path.replaceAll(/\{(\w+)\}/gu, ":$1"), (request) => answer(route, request, context));
  }
  app.get("/api/openapi.json", (request) => request.json(describeApi(ROUTES, version)));
  app.notFound((request) => answerError(request, "api", unknownAddress(request.req.path)));
  app.onError((error, request) => answerError(request, "api", toSkeinError(error)));
  return app;
}

async function answer(route: Route, request: Context, context: ApiContext): Promise<Response> {
  try {
    return request.json(await route.answer(readGiven(route, request), context));
  } catch (error) {
    return answerError(request, route.operation, toSkeinError(error));
  }
}

function unknownAddress(path: string): SkeinError {
  return new SkeinError(`There is nothing at ${path}`, {
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

function read(schema: z.ZodObject, given: unknown): Readonly<Record<string, unknown>> {
  const { data, error } = schema.safeParse(given);
  if (data) return data;
  const [issue] = error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  throw wrong(unknown ?? z.core.toDotPath(issue?.path ?? []), issue?.message ?? "it is not understood");
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
