import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Generated, Kysely, Transaction } from "kysely";
import { defined, isoTime, monitorFolder, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import { openDatabase, UnusableDatabaseError } from "../../database/index.ts";
import type { Alert, AlertKind } from "./alert-data.ts";
import type { HeldAlert } from "./judge-alerts.ts";
import type { Notice } from "./notice.ts";

interface Tables {
  alerts: {
    id: string;
    kind: AlertKind;
    subject: string;
    message: string;
    value: number;
    threshold: number;
    workspace: string | null;
    firedAtMs: number;
    clearedAtMs: number | null;
  };
  /** What is still to be delivered, in order. */
  outbox: {
    row: Generated<number>;
    webhook: string;
    notice: string;
    atMs: number;
    attempts: number;
    nextAtMs: number;
    error: string | null;
  };
  /** Which runs somebody was told of, and whether of their end. */
  toldRuns: { run: string; isOver: number };
}

const MIGRATIONS = [
  `create table alerts (id text primary key, kind text not null, subject text not null, message text not null,
     value real not null, threshold real not null, workspace text, firedAtMs integer not null, clearedAtMs integer) strict;
   create unique index alertsHeld on alerts (kind, subject) where clearedAtMs is null;
   create table outbox (row integer primary key autoincrement, webhook text not null, notice text not null,
     atMs integer not null, attempts integer not null, nextAtMs integer not null, error text) strict;
   create index outboxOfWebhook on outbox (webhook, row);
   create table toldRuns (run text primary key, isOver integer not null) strict, without rowid;`,
];

/** How many alerts that are over are remembered. */
const MOST_ALERTS = 1000;

/** What waits for one webhook at most: of more, the oldest is dropped. */
const MOST_WAITING = 1000;

/** Nobody wants to be told later than that. */
const MOST_AGE_MS = 3 * 24 * 3_600_000;

/** More than there are journals. */
const MOST_TOLD_RUNS = 5000;

/** Stands for all runs that there were before anybody was told of one. */
export const BEGUN = "";

/** A message that waits. */
export interface Waiting {
  readonly row: number;
  readonly notice: Notice;
  readonly attempts: number;
  readonly nextAtMs: number;
}

/** How it stands with a webhook. */
export interface WaitingState {
  readonly waiting: number;
  readonly error: string | null;
}

/** What is to be known for certain in one go: which alerts begin and end, and what is to be told to whom. */
export interface AlertChanges {
  readonly fired: readonly Alert[];
  readonly cleared: readonly string[];
  /** When all of this was found. */
  readonly atMs: number;
  /** By webhook, each message for it. */
  readonly toSend: readonly { readonly webhook: string; readonly notice: Notice }[];
  readonly toldRuns: readonly { readonly run: string; readonly isOver: boolean }[];
}

/** What a monitor must still know of alerts when it was killed. */
export interface AlertStore extends AsyncDisposable {
  held(): Promise<readonly HeldAlert[]>;
  /** The alerts that hold, or the last ones, the newest first. */
  list(query: {
    readonly isHeld?: boolean;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly Alert[]>;
  read(id: string): Promise<Alert | undefined>;
  /** Of each run that somebody was told of, whether of its end; undefined where nobody ever was told of any. */
  toldRuns(): Promise<ReadonlyMap<string, boolean> | undefined>;
  /** All of it, or nothing. */
  change(changes: AlertChanges): Promise<void>;
  /** The oldest message that waits for a webhook. */
  next(webhook: string): Promise<Waiting | undefined>;
  delivered(row: number): Promise<void>;
  failed(row: number, why: { readonly error: string; readonly nextAtMs: number }): Promise<void>;
  /** Drops what is too old, and what waits for webhooks that are no more. */
  sweep(webhooks: readonly string[], nowMs: number): Promise<void>;
  waiting(webhook: string): Promise<WaitingState>;
}

/** Opens it; fails where a newer version wrote it. */
export async function openAlertStore(dataHome: string): Promise<AlertStore> {
  await mkdir(monitorFolder(dataHome), PRIVATE_FOLDER);
  const path = join(monitorFolder(dataHome), "alerts.sqlite");
  const { db, close } = await openDatabase<Tables>(path, { migrations: MIGRATIONS }).catch((error: unknown) => {
    throw error instanceof UnusableDatabaseError && error.reason === "damaged" ? damaged(path, error) : error;
  });
  return {
    ...readers(db),
    change: async (changes) => await db.transaction().execute(async (inside) => await write(inside, changes)),
    ...outbox(db),
    [Symbol.asyncDispose]: close,
  };
}

function damaged(path: string, cause: UnusableDatabaseError): SkeinError {
  return new SkeinError(cause.message, {
    kind: cause.kind,
    target: path,
    hint: `Remove ${path}: what holds then fires once more, and what waited for webhooks is not sent`,
    cause,
  });
}

function readers(db: Kysely<Tables>): Pick<AlertStore, "held" | "list" | "read" | "toldRuns"> {
  const held = db.selectFrom("alerts").where("clearedAtMs", "is", null);
  return {
    held: async () => await held.select(["id", "kind", "subject"]).execute(),
    async list({ isHeld, limit, offset }) {
      const from =
        isHeld === undefined
          ? db.selectFrom("alerts")
          : isHeld
            ? held
            : db.selectFrom("alerts").where("clearedAtMs", "is not", null);
      const rows = await from
        .selectAll()
        .orderBy("firedAtMs", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(toAlert);
    },
    async read(id) {
      const row = await db.selectFrom("alerts").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toAlert(row);
    },
    async toldRuns() {
      const rows = await db.selectFrom("toldRuns").selectAll().execute();
      return rows.length === 0 ? undefined : new Map(rows.map(({ run, isOver }) => [run, isOver === 1]));
    },
  };
}

function toAlert({ id, firedAtMs, clearedAtMs, subject, workspace, ...rest }: Tables["alerts"]): Alert {
  return {
    alertId: id,
    ...rest,
    ...defined({ subject: subject || undefined, workspace: workspace ?? undefined }),
    firedAt: isoTime(firedAtMs),
    ...(clearedAtMs === null ? {} : { clearedAt: isoTime(clearedAtMs) }),
  };
}

async function write(db: Transaction<Tables>, changes: AlertChanges): Promise<void> {
  const { fired, cleared, atMs, toSend, toldRuns } = changes;
  for (const { alertId: id, firedAt, clearedAt: _, subject = "", workspace = null, ...rest } of fired) {
    const row = { id, ...rest, subject, workspace, firedAtMs: Date.parse(firedAt), clearedAtMs: null };
    await db.insertInto("alerts").values(row).execute();
  }
  for (const id of cleared) await db.updateTable("alerts").set({ clearedAtMs: atMs }).where("id", "=", id).execute();
  for (const { webhook, notice } of toSend) {
    const row = { webhook, notice: JSON.stringify(notice), atMs, attempts: 0, nextAtMs: 0, error: null };
    await db.insertInto("outbox").values(row).execute();
  }
  for (const { run, isOver } of toldRuns) {
    await db
      .replaceInto("toldRuns")
      .values({ run, isOver: isOver ? 1 : 0 })
      .execute();
  }
  if (fired.length + toSend.length + toldRuns.length > 0)
    await keepBounded(
      db,
      toSend.map(({ webhook }) => webhook),
    );
}

async function keepBounded(db: Transaction<Tables>, webhooks: readonly string[]): Promise<void> {
  for (const webhook of new Set(webhooks)) {
    const tooMany = db.selectFrom("outbox").select("row").where("webhook", "=", webhook);
    const last = tooMany.orderBy("row", "desc").limit(1).offset(MOST_WAITING);
    await db.deleteFrom("outbox").where("webhook", "=", webhook).where("row", "<=", last).execute();
  }
  const oldest = db.selectFrom("alerts").select("firedAtMs").where("clearedAtMs", "is not", null);
  const bound = oldest.orderBy("firedAtMs", "desc").limit(1).offset(MOST_ALERTS);
  await db.deleteFrom("alerts").where("clearedAtMs", "is not", null).where("firedAtMs", "<=", bound).execute();
  // An id begins with the time at which it was made.
  const run = db.selectFrom("toldRuns").select("run").orderBy("run", "desc").limit(1).offset(MOST_TOLD_RUNS);
  await db.deleteFrom("toldRuns").where("run", "<=", run).where("run", "<>", BEGUN).execute();
}

function outbox(db: Kysely<Tables>): Pick<AlertStore, "next" | "delivered" | "failed" | "sweep" | "waiting"> {
  return {
    async next(webhook) {
      const of = db.selectFrom("outbox").where("webhook", "=", webhook);
      const row = await of.selectAll().orderBy("row").limit(1).executeTakeFirst();
      return row && { ...row, notice: JSON.parse(row.notice) as Notice };
    },
    delivered: async (row) => void (await db.deleteFrom("outbox").where("row", "=", row).execute()),
    async failed(row, { error, nextAtMs }) {
      const attempted = db.updateTable("outbox").where("row", "=", row);
      await attempted.set(({ eb }) => ({ error, nextAtMs, attempts: eb("attempts", "+", 1) })).execute();
    },
    async sweep(webhooks, nowMs) {
      await db
        .deleteFrom("outbox")
        .where((by) => by.or([by("atMs", "<", nowMs - MOST_AGE_MS), by("webhook", "not in", [...webhooks, ""])]))
        .execute();
    },
    async waiting(webhook) {
      const of = db.selectFrom("outbox").where("webhook", "=", webhook);
      const { count } = await of.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
      const first = await of.select("error").orderBy("row").limit(1).executeTakeFirst();
      return { waiting: count, error: first?.error ?? null };
    },
  };
}
