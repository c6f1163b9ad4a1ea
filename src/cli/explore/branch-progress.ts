import { createUsageMeter, defined, offlineMark, systemClock, type SkeinEvent } from "../../core/internal.ts";
import type { BranchPlace, BranchWatch } from "../../search/internal.ts";
import { plainLine, toolTitle } from "../../terminal/index.ts";

/** What a branch does now, and what it has come to so far. */
export interface BranchProgress {
  readonly place: BranchPlace;
  readonly sinceMs: number;
  /** The tool that runs, or what the model does. */
  readonly doing: string;
  readonly denials: number;
  /** How often the turn was tried again after a failure. */
  readonly retries: number;
  /** What it has cost so far by the price list. */
  readonly costUsd: number;
  /** What the offline model plays in it; nobody pays for that. */
  readonly scenario?: string;
}

/** Which branches of a search wait and run. It listens to the search, and whoever draws asks it. */
export interface SearchProgress {
  readonly watch: Required<BranchWatch>;
  begin(place: BranchPlace): void;
  /** How often the turn of a branch was tried again. */
  end(id: number): number;
  queued(): readonly BranchPlace[];
  running(): readonly BranchProgress[];
}

export function createSearchProgress(): SearchProgress {
  const waiting = new Map<number, BranchPlace>();
  const going = new Map<number, ReturnType<typeof followBranch>>();
  const start = (place: BranchPlace): ReturnType<typeof followBranch> => {
    waiting.delete(place.id);
    const known = going.get(place.id) ?? followBranch(place);
    going.set(place.id, known);
    return known;
  };
  return {
    watch: {
      queued: (place) => void waiting.set(place.id, place),
      happened: (place, event) => start(place).read(event),
    },
    begin: (place) => void start(place),
    end(id) {
      const retries = going.get(id)?.progress().retries ?? 0;
      waiting.delete(id);
      going.delete(id);
      return retries;
    },
    queued: () => [...waiting.values()],
    running: () => [...going.values()].map(({ progress }) => progress()),
  };
}

function followBranch(place: BranchPlace) {
  const sinceMs = systemClock.now();
  const meter = createUsageMeter();
  const messageIds = new Set<string>();
  const tools = new Map<string, string>();
  let [cwd, word, denials, retries] = ["", "starting", 0, 0];
  return {
    read(event: SkeinEvent): void {
      meter.read(event);
      switch (event.type) {
        case "usage":
          messageIds.add(event.messageId);
          break;
        case "turn-start":
          cwd = event.cwd;
          word = "thinking";
          break;
        case "tool-start":
          tools.set(event.toolUseId, `${plainLine(event.tool)} ${toolTitle(event.input, cwd)}`.trim());
          break;
        case "tool-end":
          tools.delete(event.toolUseId);
          denials += event.isDenied ? 1 : 0;
          word = "thinking";
          break;
        case "text-delta":
          word = "writing";
          break;
        case "thinking-delta":
          word = "thinking";
          break;
        case "status":
          if (event.status === "retrying" || event.status === "fallback") retries += 1;
          if (event.status === "retrying" || event.status === "api_retry") word = "trying again";
          break;
        case "turn-end":
          word = "finishing";
          break;
        default:
          break;
      }
    },
    progress: (): BranchProgress => {
      const doing = [...tools.values()].at(-1) ?? word;
      const { costUsd } = meter.spent();
      const { scenario } = offlineMark(messageIds) ?? {};
      return { place, sinceMs, doing, denials, retries, costUsd, ...defined({ scenario }) };
    },
  };
}
