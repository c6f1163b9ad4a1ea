import { ChartColumn, GitFork, Inbox, List, MessagesSquare, Search, Users } from "lucide-react";
import { useState, type ComponentType, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { addressOf, useGo } from "../data/url.ts";
import { useLive } from "../data/use-live.ts";
import { THEMES, setTheme, useTheme } from "../theme/use-theme.ts";
import styles from "./frame.module.css";
import { KeyList } from "./key-list.tsx";
import { useKeys } from "./keys.ts";
import { Palette } from "./palette.tsx";
import { StatusLine } from "./status-line.tsx";
import { Toasts } from "./toasts.tsx";
import { useAttention } from "./use-attention.ts";
import { useBackgroundFailures } from "./use-background-failures.ts";
import { useNotifications } from "./use-notifications.ts";

interface Place {
  readonly name: string;
  readonly address: string;
  readonly key: string;
  readonly Icon: ComponentType<{ readonly "aria-hidden"?: boolean }>;
  /** Where the address begins so, the place is lit. */
  readonly begins: RegExp;
}

const PLACES: readonly Place[] = [
  { name: "Now", address: addressOf.now(), key: "g n", Icon: Inbox, begins: /^\/$/u },
  { name: "Runs", address: addressOf.runs(), key: "g r", Icon: List, begins: /^\/(?:runs|w\/[^/]+\/states)/u },
  {
    name: "Tree",
    address: addressOf.trees(),
    key: "g t",
    Icon: GitFork,
    begins: /^\/(?:tree|w\/[^/]+\/(?:tree|files))/u,
  },
  { name: "Sessions", address: addressOf.sessions(), key: "g s", Icon: MessagesSquare, begins: /^\/sessions/u },
  { name: "Team", address: addressOf.teams(), key: "g m", Icon: Users, begins: /^\/team/u },
  { name: "Costs", address: addressOf.costs(), key: "g c", Icon: ChartColumn, begins: /^\/costs/u },
];

/** What is around every view: the places at the left, how it stands below. */
export function Frame({ children }: { readonly children: ReactNode }): ReactNode {
  const go = useGo();
  const theme = useTheme();
  const [opened, setOpened] = useState<"palette" | "keys" | undefined>();
  useAttention();
  useNotifications();
  useBackgroundFailures();
  useKeys([
    ...PLACES.map(({ name, address, key }) => ({ key, label: `Go to ${name}`, run: () => go(address) })),
    { key: "mod+k", label: "Find anything", run: () => setOpened("palette") },
    { key: "n", label: "Start a run", run: () => go(addressOf.start()) },
    { key: "w", label: "Show what waits for you", run: () => go(addressOf.now()) },
    {
      key: "t",
      label: "Change the theme",
      run: () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system"),
    },
    { key: "?", label: "Show all keys", run: () => setOpened("keys") },
  ]);
  return (
    <div className={styles["frame"]}>
      <a className={styles["skip"]} href="#view">
        Skip to the view
      </a>
      <Rail onSearch={() => setOpened("palette")} />
      <main id="view" className={styles["view"]} tabIndex={-1}>
        {children}
      </main>
      <StatusLine />
      <Toasts />
      <Palette isOpen={opened === "palette"} onClose={() => setOpened(undefined)} />
      <KeyList isOpen={opened === "keys"} onClose={() => setOpened(undefined)} />
    </div>
  );
}

function Rail({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  const [location] = useLocation();
  const waiting = useLive(({ questions }) => questions.size);
  return (
    <nav className={styles["rail"]} aria-label="Views">
      <img className={styles["mark"]} src="/assets/icon.svg" alt="" width="24" height="24" />
      {PLACES.map(({ name, address, Icon, begins }) => (
        <Link
          key={name}
          href={address}
          className={styles["place"] ?? ""}
          aria-current={begins.test(location) ? "page" : undefined}
        >
          <Icon aria-hidden />
          <span>{name}</span>
          {name === "Now" && waiting > 0 && (
            <b className={styles["count"]}>
              {waiting}
              <span className="said"> waiting for you</span>
            </b>
          )}
        </Link>
      ))}
      <button type="button" className={`${styles["place"]} ${styles["find"]}`} onClick={onSearch}>
        <Search aria-hidden />
        <span>Find</span>
      </button>
    </nav>
  );
}
