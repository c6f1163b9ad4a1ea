import type { McpServerConfig } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { text, type FieldsOf } from "./option-values.ts";

type ServerOf<Type> = FieldsOf<Extract<McpServerConfig, { type?: Type }>>;

const timeout = z.number().positive().optional();
const alwaysLoad = z.boolean().optional();
const strings = z.record(text, z.string()).optional();

const toolPolicies = z
  .array(
    z.strictObject({
      name: text,
      permission_policy: z.enum(["always_allow", "always_ask", "always_deny"]).optional(),
      org_max_permission: z.enum(["allow", "ask", "blocked"]).optional(),
    }),
  )
  .optional() as z.ZodType<ServerOf<"http">["tools"] extends z.ZodType<infer Policies> ? Policies : never>;

const instance = z.custom<Extract<McpServerConfig, { type: "sdk" }>["instance"]>(
  (value) => typeof value === "object" && value !== null && "connect" in value,
  { error: "an MCP server, as createSdkMcpServer makes it" },
);

const STDIO = {
  type: z.literal("stdio").optional(),
  command: text,
  args: z.array(z.string()).optional(),
  env: strings,
  timeout,
  alwaysLoad,
} satisfies ServerOf<"stdio">;

const REMOTE = { url: text, headers: strings, tools: toolPolicies, timeout, alwaysLoad };
const SSE = { type: z.literal("sse"), ...REMOTE } satisfies ServerOf<"sse">;
const HTTP = { type: z.literal("http"), ...REMOTE } satisfies ServerOf<"http">;
const SDK = { type: z.literal("sdk"), name: text, instance, tools: toolPolicies, timeout } satisfies ServerOf<"sdk">;

/** An MCP server: a command, an address, or an object in this process. One without `type` is a command. */
export const mcpServerSchema = z.discriminatedUnion("type", [
  z.strictObject(STDIO),
  z.strictObject(SSE),
  z.strictObject(HTTP),
  z.strictObject(SDK),
]) as unknown as z.ZodType<McpServerConfig>;
