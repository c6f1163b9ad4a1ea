import { createId, defined, isoTime, type Clock } from "../../core/internal.ts";
import type { Alert, AlertKind } from "./alert-data.ts";
import type { AlertSettings } from "./alert-settings.ts";
import { BEGUN, openAlertStore, type AlertChanges, type AlertStore } from "./alert-store.ts";
import { deliverDue } from "./deliver.ts";
import { judgeAlerts } from "./judge-alerts.ts";
import { alertNotice, runNotice, topicOf, type Notice } from "./notice.ts";
import { READERS, type AlertSources, type Reading } from "./read-alerts.ts";
import { isOver, runNews } from "./tell-of-runs.ts";
import { readWebhooks, type Webhook } from "./webhook.ts";

/** The alerts of a monitor: what fires is kept, so that it fires once, whoever is killed. */
export interface Alerts extends AsyncDisposable {
  readonly store: Pick<AlertStore, "list">;
  /** Looks at the figures and the runs; tells what is new. */
  look(): Promise<void>;
  /** Sends what is due, until it is aborted. */
  deliver(signal?: AbortSignal): Promise<void>;
  /** How it stands with each webhook. */
  webhooks(): Promise<readonly WebhookState[]>;
  /** The figures that are watched, with their bounds, as they are now; none of what there is too little to judge by. */
  readings(): Promise<readonly Reading[]>;
}

/** How it stands with a webhook. */
export interface WebhookState {
  readonly name: string;
  /** How many messages wait for it. */
  readonly waiting: number;
  /** Why the last one was not taken; null where nothing is wrong. */
  readonly error: string | null;
}

export interface AlertsOptions {
  readonly dataHome: string;
  readonly settings: AlertSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly sources: Omit<AlertSources, "nowMs">;
  /** An alert has fired, or is over. */
  tell(alert: Alert): void;
}

export async function openAlerts(options: AlertsOptions): Promise<Alerts> {
  const { settings, clock, dataHome } = options;
  const webhooks = await readWebhooks(settings.webhooks ?? [], options.env);
  const store = await openAlertStore(dataHome);
  const told = new Map(await toldRuns(store, options));
  return {
    store,
    async look() {
      const changes = await findChanges({ ...options, store, webhooks, told });
      if (!changes) return;
      await store.change(changes);
      for (const { run, isOver: over } of changes.toldRuns) told.set(run, over);
      const cleared = await Promise.all(changes.cleared.map(async (id) => await store.read(id)));
      for (const alert of [...changes.fired, ...cleared]) if (alert) options.tell(alert);
    },
    async deliver(signal) {
      const keys = webhooks.map(({ key }) => key);
      await store.sweep(keys, clock.now());
      await Promise.all(webhooks.map(async (each) => await deliverDue(each, { store, clock, ...defined({ signal }) })));
    },
    async webhooks() {
      return await Promise.all(webhooks.map(async ({ name, key }) => ({ name, ...(await store.waiting(key)) })));
    },
    async readings() {
      const read = await readAll(settings, { ...options.sources, nowMs: clock.now() });
      return [...read.values()].flat();
    },
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}

/** The first time that a data folder is watched, what was there before is no news. */
async function toldRuns(store: AlertStore, { sources, clock }: AlertsOptions): Promise<ReadonlyMap<string, boolean>> {
  const told = await store.toldRuns();
  if (told) return told;
  const known = sources.runs().map((run) => ({ run: run.run, isOver: isOver(run) }));
  const all = [{ run: BEGUN, isOver: true }, ...known];
  await store.change({ ...NOTHING, atMs: clock.now(), toldRuns: all });
  return new Map(all.map(({ run, isOver: over }) => [run, over]));
}

const NOTHING = { fired: [], cleared: [], toSend: [], toldRuns: [] };

interface Found extends AlertsOptions {
  readonly store: AlertStore;
  readonly webhooks: readonly Webhook[];
  readonly told: ReadonlyMap<string, boolean>;
}

async function findChanges(found: Found): Promise<AlertChanges | undefined> {
  const { settings, clock, sources, store, webhooks, told } = found;
  const nowMs = clock.now();
  const readings = await readAll(settings, { ...sources, nowMs });
  const { fired, cleared } = judgeAlerts(await store.held(), readings);
  const news = runNews(sources.runs(), told);
  if (fired.length + cleared.length + news.length === 0) return undefined;
  const alerts = fired.map((reading) => toAlert(reading, nowMs));
  const over = await Promise.all(cleared.map(async (id) => await store.read(id)));
  const notices: readonly Notice[] = [
    ...alerts.map(alertNotice),
    ...over.flatMap((alert) => (alert ? [alertNotice({ ...alert, clearedAt: isoTime(nowMs) })] : [])),
    ...news.map(({ run, type }) => runNotice(run, type)),
  ];
  const toSend = webhooks.flatMap(({ key, tell }) => {
    const wanted = notices.filter((notice) => tell.some((topic) => topic === topicOf(notice)));
    return wanted.map((notice) => ({ webhook: key, notice }));
  });
  const runs = news.map(({ run }) => ({ run: run.run, isOver: isOver(run) }));
  return { atMs: nowMs, fired: alerts, cleared, toSend, toldRuns: runs };
}

async function readAll(
  settings: AlertSettings,
  sources: AlertSources,
): Promise<ReadonlyMap<AlertKind, readonly Reading[]>> {
  const read = new Map<AlertKind, readonly Reading[]>();
  for (const [kind, reader] of Object.entries(READERS) as [AlertKind, (typeof READERS)[AlertKind]][]) {
    // What cannot be read now is judged the next time.
    const readings = await reader(settings, sources).catch(() => undefined);
    if (readings) read.set(kind, readings);
  }
  return read;
}

function toAlert({ kind, subject, message, value, threshold, workspace }: Reading, nowMs: number): Alert {
  const about = defined({ subject: subject || undefined, workspace });
  return { alertId: createId(), kind, message, value, threshold, ...about, firedAt: isoTime(nowMs) };
}
