import { z } from "zod";
import { ErrorData } from "../../protocol/index.ts";
import { SERVER_MESSAGES } from "../stream/messages.ts";
import { ERROR_STATUSES } from "./error-status.ts";
import type { Download, Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

/** The description of all addresses, as OpenAPI 3.1, made of the schemas by which they work. */
export function describeApi(routes: readonly Route[], downloads: readonly Download[], version: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Skein's monitor",
      version,
      description:
        "What is recorded and what happens now in a Skein data folder. Fields are in snake_case; errors have the kinds of the command's.",
    },
    security: [{ token: [] }, { cookie: [] }],
    paths: {
      ...describePaths(routes),
      ...Object.fromEntries(downloads.map((each) => [each.path, describeFile(each)])),
    },
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token in the data folder's monitor/token" },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "skein",
          description: "What a browser is given for the printed address",
        },
      },
      schemas: {
        Error: jsonSchema(z.strictObject({ error: ErrorData.describe("What went wrong") })),
        StreamMessage: {
          description: "A message of the WebSocket at /api/stream?subscribe=<topics>&after=<epoch>:<seq>",
          oneOf: SERVER_MESSAGES.map((schema) => jsonSchema(schema)),
        },
      },
    },
  };
}

function describePaths(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = describeRoute(route);
  return paths;
}

function describeRoute({ operation, summary, parameters, query, body, data }: Route): Json {
  return {
    operationId: operation,
    summary,
    parameters: [...describeParameters(parameters, "path"), ...describeParameters(query, "query")],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "input") } } },
    }),
    responses: {
      "200": { description: "The answer", content: { "application/json": { schema: jsonSchema(data) } } },
      ...Object.fromEntries(
        [...new Set(Object.values(ERROR_STATUSES))]
          .toSorted((left, right) => left - right)
          .map((status) => [String(status), REFUSAL]),
      ),
      default: REFUSAL,
    },
  };
}

function describeFile({ operation, summary, parameters }: Download): Json {
  const responses = {
    "200": { description: "The page", content: { "text/html": { schema: { type: "string" } } } },
    default: REFUSAL,
  };
  return { get: { operationId: operation, summary, parameters: describeParameters(parameters, "path"), responses } };
}

const REFUSAL = {
  description: "It did not work",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

function describeParameters(schema: z.ZodObject, place: "path" | "query"): readonly Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as { readonly description?: string };
    return { name, in: place, required: required.includes(name), description, schema: withType(schema, name, rest) };
  });
}

/** What is read from a text has no type of its own on the way in: its type is that of what is made of it. */
function withType(schema: z.ZodObject, name: string, property: Json): Json {
  if (property["type"] !== undefined || property["enum"] !== undefined) return property;
  const made = z.toJSONSchema(schema, { io: "output" }).properties?.[name] as Json | undefined;
  const { description: _, ...rest } = made ?? {};
  return { ...rest, ...property };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
