import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMonitor, type Monitor } from "skein/monitor";
import { alternate, timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";
import { makeStates } from "./make-states.ts";

const STATES = 100_000;
const ROUNDS = 9;
const MOST_MS = 50;

/** A page of each, as somebody who looks through them asks for it. */
const PAGES = {
  newest: ["newest", "states?limit=50"],
  deep: ["from the middle", "states?limit=50&offset=50000"],
  cost: ["dearest", "states?limit=50&order=cost"],
  reward: ["highest rewards", "states?limit=50&order=reward"],
  named: ["highest rewards of a name", "states?limit=50&order=reward&reward=score"],
  words: ["with a word that all have", "states?limit=50&text=turn"],
  rare: ["with a word that few have", "states?limit=50&text=000000000007"],
  failed: ["failed", "states?limit=50&outcome=failed"],
  conversations: ["conversations", "conversations?limit=50"],
  all: ["of all workspaces, counted, from the end", "/api/states?limit=50&offset=99000&count=true"],
} as const;

type Page = keyof typeof PAGES;

export const lists: Bench = {
  name: "lists",
  summary: `pages of a workspace with ${STATES.toLocaleString("en-US")} recorded turns, by skein serve`,
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-lists-"));
    try {
      tell("the history is made");
      const { home } = await makeStates(root, STATES, { isRewarded: true });
      await using monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "claude") });
      tell("it is taken into the index");
      const { workspaces } = (await ask(monitor, "/api/workspaces")) as {
        readonly workspaces: readonly { readonly id: string }[];
      };
      const workspace = `/api/workspaces/${workspaces[0]?.id ?? ""}/`;
      await ask(monitor, `${workspace}${PAGES.newest[1]}`);
      tell("pages");
      const { pages } = await alternate(ROUNDS, { pages: async () => await timePages(monitor, workspace) });
      return (Object.keys(PAGES) as Page[]).map((name) =>
        row({
          name: `list-${name}`,
          what: `a page of 50 of ${STATES.toLocaleString("en-US")}: ${PAGES[name][0]}`,
          ours: pages[name],
          unit: "ms",
          aim: { of: "ours", atMost: MOST_MS },
        }),
      );
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function timePages(monitor: Monitor, workspace: string): Promise<Readonly<Record<Page, number>>> {
  const times: [Page, number][] = [];
  for (const [name, [, page]] of Object.entries(PAGES) as [Page, (typeof PAGES)[Page]][]) {
    const path = page.startsWith("/") ? page : `${workspace}${page}`;
    times.push([name, await timed(() => ask(monitor, path))]);
  }
  return Object.fromEntries(times) as Record<Page, number>;
}

async function ask({ url, token }: Monitor, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
