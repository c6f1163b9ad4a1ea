/** How a turn of the offline model is known: that it was one, and the scenario that was played. */
export interface OfflineMark {
  readonly offline: true;
  /** The scenario's name. */
  readonly scenario: string;
}

const ID = /^msg_offline_(.+)_[\da-f]{32}$/u;

/** Longer names are cut: an id is a word in a header. */
const MOST_CHARACTERS = 64;

/** The id that the offline model gives a response; by it the response is known wherever it is written down. `unique` is 32 hex digits. */
export function offlineMessageId(scenario: string, unique: string): string {
  const name = [...Buffer.from(scenario).toString()].slice(0, MOST_CHARACTERS).join("") || "unnamed";
  const word = encodeURIComponent(name).replaceAll("~", "%7E").replaceAll("%", "~");
  return `msg_offline_${word}_${unique}`;
}

/** The scenario that a response comes from, by the response's id; undefined for one that a real model gave. */
export function scenarioOfMessage(messageId: string): string | undefined {
  const word = ID.exec(messageId)?.[1];
  if (word === undefined) return undefined;
  try {
    return decodeURIComponent(word.replaceAll("~", "%"));
  } catch {
    return word;
  }
}

/** The name under which what the offline model said is shown, in the place of a model's. */
export function offlineName(scenario: string): string {
  return `offline (${scenario})`;
}

/**
 * The mark of a turn, by the ids of its responses. A turn with one response of a real model has none: its money was paid.
 * It decides only what is shown; budgets never read it.
 */
export function offlineMark(messageIds: Iterable<string>): OfflineMark | undefined {
  const scenarios = [...messageIds].map(scenarioOfMessage);
  const [scenario] = scenarios;
  return scenario === undefined || scenarios.includes(undefined) ? undefined : { offline: true, scenario };
}
