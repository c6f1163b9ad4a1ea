import { z } from "zod";
import type { Clock } from "../../core/internal.ts";
import type { Alerts } from "../alerts/watch-alerts.ts";
import type { WorkspaceBudget } from "../budgets/read-budgets.ts";
import type { SessionFlags } from "../flags/session-flags.ts";
import type { Launches } from "../launches/launches.ts";
import type { FigureReader, StateReader } from "../../trace/internal.ts";
import type { Runs } from "../runs/runs.ts";
import type { EventSocket, Teller } from "../server/event-socket.ts";
import type { OpenTranscripts } from "./sessions/open-transcripts.ts";
import type { OpenWorkspaces } from "./workspaces/open-workspaces.ts";

/** What a request can be answered from. */
export interface ApiContext {
  readonly dataHome: string;
  readonly clock: Clock;
  readonly startedAtMs: number;
  /** Whether nothing may be changed: addresses that change something refuse. */
  readonly readOnly: boolean;
  /** Whether whoever asks may name commands that run as the user, outside any sandbox. */
  readonly allowCommands: boolean;
  readonly launches: Launches;
  /** What is configured for a workspace; without it no budget is told. */
  readonly budgetOf: ((workspace: string) => Promise<WorkspaceBudget>) | undefined;
  readonly alerts: Pick<Alerts, "store" | "webhooks" | "readings">;
  readonly runs: Runs;
  readonly workspaces: OpenWorkspaces;
  readonly transcripts: OpenTranscripts;
  readonly flags: SessionFlags;
  /** The sums of what is recorded. */
  readonly figures: FigureReader;
  /** The states of all workspaces. */
  readonly states: StateReader;
  tellers(): readonly Teller[];
  /** Asks a process of this machine to do something. */
  readonly request: EventSocket["request"];
  /** The number of the last message of the stream, and how many listen to it. */
  stream(): { readonly seq: number; readonly clients: number };
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One address that can be asked: as data, so that the server and its description are made of the same. GET changes nothing, every other method may. */
export interface Route {
  readonly method: Method;
  /** With its parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly parameters: z.ZodObject;
  readonly query: z.ZodObject;
  /** What is sent as JSON; undefined where nothing is. */
  readonly body: z.ZodObject | undefined;
  /** The largest body that is read. */
  readonly mostBodyBytes: number;
  readonly data: z.ZodObject;
  answer(given: Given, context: ApiContext): Promise<object>;
}

/** One address that answers with a page to keep: it is read only, as every GET. */
export interface Download extends Pick<Route, "path" | "operation" | "summary" | "parameters"> {
  answer(
    given: Readonly<Record<string, unknown>>,
    context: ApiContext,
  ): Promise<{ readonly html: string; readonly name: string }>;
}

/** What a request gave, parsed: the parts of its path and query by their names, what it sent as `body`. */
type Given = Readonly<Record<string, unknown>> & { readonly body: Readonly<Record<string, unknown>> };

interface RouteParts<
  Parameters extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Data extends z.ZodObject,
> {
  /** GET by default. */
  readonly method?: Method;
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly parameters?: Parameters;
  readonly query?: Query;
  readonly body?: Body;
  /** 256 KiB by default. */
  readonly mostBodyBytes?: number;
  readonly data: Data;
  answer(
    given: z.infer<Parameters> & z.infer<Query> & { readonly body: z.infer<Body> },
    context: ApiContext,
  ): Promise<z.infer<Data>>;
}

/** A route whose types are known: the page that the server serves is written against them. */
export interface TypedRoute<
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Data extends z.ZodObject,
> extends Route {
  readonly query: Query;
  readonly body: Body | undefined;
  readonly data: Data;
}

const NOTHING = z.strictObject({});

const MOST_BODY_BYTES = 256 * 1024;

export function route<
  Data extends z.ZodObject,
  Parameters extends z.ZodObject = typeof NOTHING,
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodObject = typeof NOTHING,
>({ parameters, query, answer, ...parts }: RouteParts<Parameters, Query, Body, Data>): TypedRoute<Query, Body, Data> {
  return {
    method: "GET",
    body: undefined,
    mostBodyBytes: MOST_BODY_BYTES,
    ...parts,
    parameters: parameters ?? NOTHING,
    // Where none is named, `Query` is the type of this very schema.
    query: query ?? (NOTHING as z.ZodObject as Query),
    // What comes in was parsed by these very schemas.
    answer,
  };
}

/** The part of a list that is asked for. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(500).default(50).describe("How many at most"),
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0).describe("How many are passed over"),
};

/** What a list says of the rest of it. */
export const pageFields = {
  next_offset: z.int().nullable().describe("Where the next page begins; null where this is the last"),
};

/** One page of what was found when one more than its limit was asked for. */
export function pageOf<Item>(
  found: readonly Item[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { readonly items: readonly Item[]; readonly next_offset: number | null } {
  return { items: found.slice(0, limit), next_offset: found.length > limit ? offset + limit : null };
}
