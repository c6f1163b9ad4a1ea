import type { Generated } from "kysely";
import type { Usage } from "../../core/internal.ts";
import type { Outcome } from "../record/transition-file.ts";
import type { IndexedState, IndexedTurn } from "./state-index.ts";

/** One state. `tools` and `rewards` are JSON, to be read back; what is searched by is in tables of its own. */
export interface StateTable
  extends
    Pick<IndexedState, "id" | "kind" | "conversationId" | "recordedAtMs" | "depth">,
    Pick<IndexedTurn, keyof Usage | "durationMs" | "filesCreated" | "filesModified" | "filesDeleted"> {
  readonly row: Generated<number>;
  readonly parentId: string | null;
  readonly rewards: string;
  readonly transitionId: string | null;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly outcome: Outcome | null;
  readonly errorKind: string | null;
  readonly stopReason: string | null;
  readonly costMicroUsd: number;
  /** The offline model's; null where a real one answered. */
  readonly scenario: string | null;
  readonly tools: string;
  /** The highest of its rewards; minus infinity where it has none, so that it comes last. */
  readonly bestReward: number;
  readonly remark: string | null;
  readonly bookmark: string | null;
  readonly searchId: string | null;
}

/** The tables of the index. `bodyWords` is the full text of `bodies`, kept by triggers. */
export interface TraceTables {
  readonly states: StateTable;
  readonly bodies: { readonly stateRow: number; readonly prompt: string; readonly response: string };
  readonly bodyWords: { readonly rowid: number; readonly bodyWords: string };
  /** When and by which model is told here again, so that figures are summed up from one index alone. */
  readonly toolUses: {
    readonly tool: string;
    readonly stateRow: number;
    readonly calls: number;
    readonly errors: number;
  } & Told;
  readonly agentShares: {
    readonly agent: string;
    readonly stateRow: number;
    readonly isOffline: number;
    readonly costMicroUsd: number;
  } & Usage &
    Told;
  readonly rewardValues: { readonly name: string; readonly stateRow: number; readonly value: number } & Told;
  readonly refs: { readonly name: string; readonly commitId: string };
}

interface Told {
  readonly recordedAtMs: number;
  /** Empty of a state that no turn led to. */
  readonly model: string;
}

/** The schema, version by version. A script that was released is never changed. */
export const MIGRATIONS: readonly string[] = [
  `
  create table states (
    row integer primary key,
    id text not null unique,
    parentId text,
    kind text not null,
    conversationId text not null,
    recordedAtMs integer not null,
    depth integer not null,
    rewards text not null,
    transitionId text,
    sessionId text,
    model text,
    outcome text,
    errorKind text,
    stopReason text,
    costMicroUsd integer not null,
    inputTokens integer not null,
    outputTokens integer not null,
    cacheReadTokens integer not null,
    cacheWriteTokens integer not null,
    durationMs real not null,
    tools text not null,
    filesCreated integer not null,
    filesModified integer not null,
    filesDeleted integer not null
  ) strict;
  create index statesByTime on states (recordedAtMs, depth, id);
  create index statesByConversation on states (conversationId, recordedAtMs, depth, id);
  create index statesByCost on states (costMicroUsd, recordedAtMs, depth, id);
  create index statesByOutcome on states (outcome, recordedAtMs, depth, id);
  create index statesByParent on states (parentId) where parentId is not null;
  create index statesByTransition on states (transitionId) where transitionId is not null;

  create table bodies (
    stateRow integer primary key references states (row) on delete cascade,
    prompt text not null,
    response text not null
  ) strict;
  create virtual table bodyWords using fts5 (
    prompt, response, content = 'bodies', content_rowid = 'stateRow', prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
  );
  create trigger bodyAdded after insert on bodies begin
    insert into bodyWords (rowid, prompt, response) values (new.stateRow, new.prompt, new.response);
  end;
  create trigger bodyRemoved after delete on bodies begin
    insert into bodyWords (bodyWords, rowid, prompt, response)
      values ('delete', old.stateRow, old.prompt, old.response);
  end;

  create table toolUses (
    tool text not null,
    stateRow integer not null references states (row) on delete cascade,
    primary key (tool, stateRow)
  ) strict, without rowid;
  create index toolUsesByState on toolUses (stateRow);

  create table rewardValues (
    name text not null,
    stateRow integer not null references states (row) on delete cascade,
    value real not null,
    primary key (stateRow, name)
  ) strict, without rowid;
  create index rewardsByValue on rewardValues (name, value);

  create table refs (name text primary key, commitId text not null) strict, without rowid;
  `,
  // What was recorded before tells no scenario, so nothing has to be read again.
  "alter table states add column scenario text;",
  // Figures are summed up from indices that hold all that they need.
  `
  create table toolCounts (
    tool text not null,
    stateRow integer not null references states (row) on delete cascade,
    calls integer not null,
    errors integer not null,
    recordedAtMs integer not null,
    model text not null,
    primary key (tool, stateRow)
  ) strict, without rowid;
  insert into toolCounts
    select value ->> 'tool', row, sum(value ->> 'calls'), sum(value ->> 'errors'), recordedAtMs, coalesce(model, '')
    from states, json_each(states.tools) group by 1, 2;
  drop table toolUses;
  alter table toolCounts rename to toolUses;
  create index toolUsesByState on toolUses (stateRow);
  create index toolUsesByTime on toolUses (model, tool, recordedAtMs, calls, errors);

  alter table rewardValues add column recordedAtMs integer not null default 0;
  alter table rewardValues add column model text not null default '';
  update rewardValues set (recordedAtMs, model) = (select recordedAtMs, coalesce(model, '') from states where row = stateRow);
  create index rewardsByTime on rewardValues (model, name, recordedAtMs, value);

  create index turnsByTime on states (
    model, recordedAtMs, outcome, errorKind, scenario, costMicroUsd,
    inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, durationMs
  ) where outcome is not null;
  create index turnsByParent on states (parentId, recordedAtMs, model, outcome) where outcome is not null and parentId is not null;
  create index roots on states (id) where parentId is null;
  `,
  // The highest rewards first, without looking at all states: by the best of each, and by one name.
  `
  alter table states add column bestReward real;
  update states set bestReward = (select max(value) from rewardValues where stateRow = row)
    where row in (select stateRow from rewardValues);
  create index statesByReward on states (bestReward, recordedAtMs, depth, id);
  drop index rewardsByValue;
  create index rewardsByValue on rewardValues (name, value, recordedAtMs);
  `,
  // Lists of one kind of state begin anywhere in their order without reading what comes before. What was written on states is read once more.
  `
  alter table states add column remark text;
  alter table states add column bookmark text;
  alter table states add column searchId text;
  update states set bestReward = -9e999 where bestReward is null;
  delete from refs where name like 'note %';
  create index statesOfKindByTime on states (kind, recordedAtMs, depth, id);
  create index statesOfKindByCost on states (kind, costMicroUsd, recordedAtMs, depth, id);
  create index statesOfKindByDuration on states (kind, durationMs, recordedAtMs, depth, id);
  create index statesOfKindByReward on states (kind, bestReward, recordedAtMs, depth, id);
  create index statesByBookmark on states (bookmark) where bookmark is not null;
  create index statesBySearch on states (searchId) where searchId is not null;
  `,
  // Searches are summed up from one index.
  `
  drop index statesBySearch;
  create index statesBySearch on states (
    searchId, recordedAtMs, depth, id, outcome, scenario, costMicroUsd, bestReward
  ) where searchId is not null;
  `,
  // Records from before sub-agents were told apart say nothing of them by type: all is the main conversation's.
  `
  create table agentShares (
    agent text not null,
    stateRow integer not null references states (row) on delete cascade,
    recordedAtMs integer not null,
    model text not null,
    isOffline integer not null,
    costMicroUsd integer not null,
    inputTokens integer not null,
    outputTokens integer not null,
    cacheReadTokens integer not null,
    cacheWriteTokens integer not null,
    primary key (stateRow, agent)
  ) strict, without rowid;
  insert into agentShares
    select 'main', row, recordedAtMs, coalesce(model, ''), scenario is not null, costMicroUsd,
      inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens
    from states where outcome is not null;
  create index agentSharesByTime on agentShares (
    agent, recordedAtMs, model, isOffline, costMicroUsd, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens
  );
  `,
  // The reward as a whole goes before its parts.
  `
  update states set bestReward = (select value from rewardValues where stateRow = row and name = 'reward')
    where row in (select stateRow from rewardValues where name = 'reward');
  `,
];
