import { findWorkingDirectory } from "../model/conversation.ts";
import { createTextNormaliser, type NormaliseText, type VolatileValue } from "./volatile-text.ts";

/** The parts of a request that tell which answer it gets. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A request without what differs from run to run; `value` is equal for two requests that get the same answer. */
export type NormalisedRequest = ReturnType<typeof normaliseRequest>;

/** These change with the CLI's version and its bookkeeping, not with what the model is asked. */
const IGNORED_FIELDS = new Set(["metadata", "tools", "context_management", "thinking", "max_tokens", "cache_control"]);

type Fields = Readonly<Record<string, unknown>>;
type Source = Parameters<NormaliseText>[1];

/** Makes requests of two runs comparable: ids, dates, paths, the git status and tool-use ids do not count. */
export function normaliseRequest({ method, path, body }: ApiRequest) {
  const cwd = findWorkingDirectory(body);
  const normaliser = new Normaliser(cwd);
  const { model, system, messages, ...rest } = isFields(body) ? body : { rest: body };
  const others = Object.entries(rest).filter(([name]) => !IGNORED_FIELDS.has(name));
  const value: Fields = {
    method,
    path: normalisePath(path),
    model,
    system: blocksOf(system).flatMap((block) => normaliser.systemBlock(block)),
    messages: asArray(messages)
      .filter(isSaid)
      .map((message) => normaliser.message(message)),
    ...(normaliser.data(Object.fromEntries(others)) as Fields),
  };
  const tools = isFields(body) ? asArray(body["tools"]).filter(isFields) : [];
  return {
    value,
    /** These tell two requests apart that are equal otherwise. */
    toolNames: tools.map(({ name }) => String(name)).toSorted(),
    cwd,
    /** What was taken out, in order: of two equal requests these go together one by one. */
    volatile: normaliser.found as readonly VolatileValue[],
  };
}

/** Walks one request in a fixed order, so that what it finds can be laid beside what it finds in another. */
class Normaliser {
  readonly found: VolatileValue[] = [];
  readonly #text: NormaliseText;
  readonly #toolUses = new Map<unknown, string>();

  constructor(cwd: string | undefined) {
    this.#text = createTextNormaliser(cwd, this.found);
  }

  systemBlock(block: Fields): readonly unknown[] {
    if (typeof block["text"] === "string" && block["text"].startsWith("x-anthropic-billing-header:")) return [];
    return [this.#block(block)];
  }

  message(message: Fields): unknown {
    const blocks = blocksOf(message["content"]).flatMap(withoutReminders);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const others = blocks.filter(({ type }) => type !== "tool_result");
    // Tools that run side by side give their results in the order in which they end. */
    const inOrder = results.toSorted((left, right) => this.#toolUse(left).localeCompare(this.#toolUse(right)));
    return { role: message["role"], content: [...inOrder, ...others].map((block) => this.#block(block)) };
  }

  /** A value of any kind, with its keys in order. */
  data(value: unknown, source: Source = "said"): unknown {
    if (typeof value === "string") {
      return this.#text(value.replace(/\s*<total_tokens>[^<]*<\/total_tokens>/g, ""), source);
    }
    if (Array.isArray(value)) return value.map((item) => this.data(item, source));
    if (!isFields(value)) return value;
    const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(entries.map(([name, part]) => [name, this.data(part, source)]));
  }

  #block(block: Fields, source: Source = "said"): unknown {
    const { cache_control: _mark, signature: _signature, ...kept } = block;
    if (block["type"] === "tool_use") return this.data({ ...kept, id: this.#toolUse(block) });
    if (block["type"] !== "tool_result") return this.data(kept, source);
    const content = blocksOf(block["content"]).flatMap(withoutReminders);
    return {
      type: "tool_result",
      tool_use_id: this.#toolUse(block),
      is_error: block["is_error"] === true,
      content: content.map((part) => this.#block(part, "tool")),
    };
  }

  /** A tool use's own number, given in the order of first appearance. */
  #toolUse(block: Fields): string {
    const id = block["id"] ?? block["tool_use_id"];
    const known = this.#toolUses.get(id) ?? `tool-${String(this.#toolUses.size + 1).padStart(4, "0")}`;
    this.#toolUses.set(id, known);
    return known;
  }
}

/** Whether an endpoint is a beta changes with the client's version; a page of a list is another question. */
function normalisePath(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  searchParams.delete("beta");
  searchParams.sort();
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
}

/** To newer models the CLI gives its reminders as messages of the system. */
function isSaid(message: unknown): message is Fields {
  return isFields(message) && message["role"] !== "system";
}

/** The CLI's reminders tell the date, the git status, the tools and the tokens left: none of it is the question. */
function withoutReminders(block: Fields): readonly Fields[] {
  if (block["type"] !== "text" || typeof block["text"] !== "string") return [block];
  const text = block["text"].replace(/<system-reminder>\n[\s\S]*?<\/system-reminder>/g, "").trim();
  return text === "" ? [] : [{ ...block, text }];
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return asArray(content).filter(isFields);
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
