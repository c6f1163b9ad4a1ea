import { Check, ExternalLink, GitFork, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useDiff } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { Inspector } from "../../frame/view.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Facts, Id, Money, Time } from "../../parts/facts.tsx";
import { countText, durationText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import { plainLine, plainText } from "../../parts/plain.ts";
import { ItemBadge } from "./item-badge.tsx";
import { toneOf, verdictText, type Review, type Round, type Team } from "./lanes.ts";
import styles from "./team.module.css";

interface Shown {
  readonly team: Team;
  /** What the address calls what is selected: `w2`, `m0`, `i:store`. */
  readonly selected: string;
  readonly onSelect: (key: string | undefined) => void;
}

/** What is known of a round, of what the manager said, or of an item. */
export function Evidence({ team, selected, onSelect }: Shown): ReactNode {
  const close = (): void => onSelect(undefined);
  const place = Number(selected.slice(1));
  if (selected.startsWith("i:")) {
    const item = team.items.find(({ id }) => id === selected.slice(2));
    return item ? <ItemPanel team={team} item={item} onSelect={onSelect} onClose={close} /> : null;
  }
  if (selected.startsWith("w")) {
    const round = team.rounds[place];
    return round ? <RoundPanel team={team} round={round} onClose={close} /> : null;
  }
  const review = team.reviews[place];
  return review ? <ReviewPanel team={team} review={review} onClose={close} onSelect={onSelect} /> : null;
}

interface Panel {
  readonly team: Team;
  readonly onClose: () => void;
}

function titleOf({ items }: Team, id: string): string {
  return plainLine(items.find((item) => item.id === id)?.title ?? id);
}

function RoundPanel({ team, round, onClose }: Panel & { readonly round: Round }): ReactNode {
  const { item, attempt, round: number, started_at: from, finished_at: to, state_id: state } = round;
  const spent = to === null ? undefined : Date.parse(to) - Date.parse(from);
  return (
    <Inspector title={`${titleOf(team, item)}, round ${attempt}.${number}`} onClose={onClose}>
      <div className={styles["panel"]}>
        <p>
          <RoundBadge round={round} />
        </p>
        {state !== null && <StateLinks team={team} state={state} what="Open the turn" />}
        <Said round={round} />
        <Gates round={round} />
        <Facts
          facts={[
            ["Began", <Time key="at" at={from} />],
            ["Took", spent === undefined ? "goes on" : durationText(spent)],
            ["Cost", to === null ? "–" : <Money key="cost" costUsd={round.cost_usd} isOffline={round.offline} />],
            ["Failed calls", String(round.tool_errors)],
            ...(state === null ? [] : [["State", <Id key="id" id={state} label="state" />] as const]),
          ]}
        />
        {round.violations.length > 0 && (
          <section>
            <h3>Protected files that were changed</h3>
            <ul className={`mono small ${styles["paths"]}`}>
              {round.violations.map((path) => (
                <li key={path}>{plainLine(path)}</li>
              ))}
            </ul>
          </section>
        )}
        {state !== null && <Changes team={team} round={round} state={state} />}
        {state === null && (
          <p className="quiet">The worker is at it. Its files are shown here once its turn is over.</p>
        )}
      </div>
    </Inspector>
  );
}

function RoundBadge({ round }: { readonly round: Round }): ReactNode {
  const tone = toneOf(round);
  const icon = tone === "good" ? <Check aria-hidden /> : tone === "bad" ? <X aria-hidden /> : undefined;
  return (
    <Badge meaning={tone === "neutral" ? "running" : tone} icon={icon}>
      {verdictText(round)}
    </Badge>
  );
}

function StateLinks({
  team,
  state,
  what,
}: {
  readonly team: Team;
  readonly state: string;
  readonly what: string;
}): ReactNode {
  return (
    <p className={styles["links"]}>
      <Link href={addressOf.state(team.workspace_id, state)}>
        <ExternalLink aria-hidden /> {what}
      </Link>
      <Link href={addressOf.tree(team.workspace_id, state)}>
        <GitFork aria-hidden /> In the tree
      </Link>
    </p>
  );
}

/** What is wrong, and what has to be done; what gates printed stands with the gates. */
function Said({ round: { verdict, by } }: { readonly round: Round }): ReactNode {
  if (!verdict || verdict.approved || (verdict.issues.length === 0 && verdict.required_changes.length === 0))
    return null;
  const issues = verdict.issues.map((issue) =>
    by === "gates" ? plainLine(issue.split("\n", 1)[0] ?? "").replace(/:$/u, "") : plainText(issue),
  );
  return (
    <section>
      <h3>Sent back with</h3>
      <ul className={styles["said"]}>
        {issues.map((issue, place) => (
          <li key={place}>{issue}</li>
        ))}
        {verdict.required_changes.map((change, place) => (
          <li key={`c${place}`} className="quiet">
            {plainText(change)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const MOST_OUTPUT = 20_000;

function Gates({ round: { gates } }: { readonly round: Round }): ReactNode {
  if (gates.length === 0) return null;
  return (
    <section>
      <h3>Gates</h3>
      {gates.map(({ command, passed, ending, output }, place) => (
        <details key={place} className={styles["gate"]} open={!passed}>
          <summary>
            <Badge meaning={passed ? "good" : "bad"} icon={passed ? <Check aria-hidden /> : <X aria-hidden />}>
              {passed ? "passes" : plainLine(ending)}
            </Badge>
            <code className="cut">{plainLine(command)}</code>
          </summary>
          {/* A long output is scrolled by keys too. */}
          <pre tabIndex={0}>{plainText(output.slice(-MOST_OUTPUT)) || "It printed nothing."}</pre>
        </details>
      ))}
    </section>
  );
}

function Changes({
  team,
  round,
  state,
}: {
  readonly team: Team;
  readonly round: Round;
  readonly state: string;
}): ReactNode {
  const { base_state_id: base } = round;
  const diff = useDiff(team.workspace_id, state, base === null ? {} : { from: base });
  return (
    <section className={styles["changes"]}>
      <h3>{base === null ? "Changes of this turn" : "Changes since the item began"}</h3>
      <Answered query={diff} what="the changes">
        {({ changes, patch, is_cut: isCut }) =>
          changes.length === 0 ? (
            <p className="quiet">Nothing was changed, whatever the worker said.</p>
          ) : (
            <>
              <p className="quiet small">{countText(changes.length, "file")}</p>
              <div className={styles["diff"]}>
                <Diff patch={patch} mostRows={300} />
              </div>
              {isCut && <p className="quiet small">The patch is longer: open the turn to see each file.</p>}
            </>
          )
        }
      </Answered>
    </section>
  );
}

const REVIEW_TITLES = { plan: "The plan", review: "Review", remedy: "What becomes of it" } as const;

function ReviewPanel({
  team,
  review,
  onClose,
  onSelect,
}: Panel & Pick<Shown, "onSelect"> & { readonly review: Review }): ReactNode {
  const { kind, item, started_at: from, ended_at: to, state_id: state, work_state_id: work, cost_usd: cost } = review;
  const place = team.rounds.findIndex((round) => work !== null && round.state_id === work);
  const round = team.rounds[place];
  const title = item === null ? REVIEW_TITLES[kind] : `${REVIEW_TITLES[kind]}: ${titleOf(team, item)}`;
  return (
    <Inspector title={title} onClose={onClose}>
      <div className={styles["panel"]}>
        {round && (
          <p>
            <RoundBadge round={round} />
          </p>
        )}
        {state !== null && <StateLinks team={team} state={state} what="Open what the manager said" />}
        {round && <Said round={round} />}
        <Facts
          facts={[
            ["Began", <Time key="at" at={from} />],
            ["Took", to === null ? "goes on" : durationText(Date.parse(to) - Date.parse(from))],
            [
              "Cost",
              <Money
                key="cost"
                costUsd={team.efficiency.rounds > 0 ? cost : null}
                isOffline={team.offline && cost !== null}
              />,
            ],
          ]}
        />
        {round && (
          <p>
            <button type="button" className={styles["jump"]} onClick={() => onSelect(`w${place}`)}>
              Show the evidence that it looked at
            </button>
          </p>
        )}
        {kind === "plan" && <PlanWords team={team} />}
      </div>
    </Inspector>
  );
}

function PlanWords({ team: { items, settings } }: { readonly team: Team }): ReactNode {
  return (
    <>
      {items.map(({ id, title, description }) => (
        <section key={id}>
          <h3>{plainLine(title)}</h3>
          <p className={styles["words"]}>{plainText(description)}</p>
        </section>
      ))}
      {settings.protect.length > 0 && (
        <section>
          <h3>Nobody changes</h3>
          <p className="mono small">{plainLine(settings.protect.join(", "))}</p>
        </section>
      )}
    </>
  );
}

function ItemPanel({
  team,
  item,
  onClose,
  onSelect,
}: Panel & Pick<Shown, "onSelect"> & { readonly item: Team["items"][number] }): ReactNode {
  const { id, title, status, reason, description, acceptance_criteria: criteria, dependencies } = item;
  const rounds = team.rounds.map((round, place) => ({ round, place })).filter(({ round }) => round.item === id);
  return (
    <Inspector title={plainLine(title)} onClose={onClose}>
      <div className={styles["panel"]}>
        <p>
          <ItemBadge status={status} />
        </p>
        {item.merged_state_id !== null && (
          <StateLinks team={team} state={item.merged_state_id} what="Open what was merged" />
        )}
        {reason !== null && status !== "merged" && <p className={styles["words"]}>{plainText(reason)}</p>}
        <p className={styles["words"]}>{plainText(description)}</p>
        {criteria.length > 0 && (
          <section>
            <h3>It is done when</h3>
            <ul className={styles["said"]}>
              {criteria.map((each, place) => (
                <li key={place}>{plainText(each)}</li>
              ))}
            </ul>
          </section>
        )}
        <Facts
          facts={[
            [
              "Item",
              <span key="id" className="mono">
                {plainLine(id)}
              </span>,
            ],
            ["Needs", dependencies.length === 0 ? "nothing" : plainLine(dependencies.join(", "))],
            ["Priority", String(item.priority)],
            ["Effort", plainLine(item.estimated_effort)],
            ["Attempts", String(item.attempts)],
          ]}
        />
        {rounds.length > 0 && (
          <section>
            <h3>Rounds</h3>
            <ul className={styles["rounds"]}>
              {rounds.map(({ round, place }) => (
                <li key={place}>
                  <button type="button" className={styles["jump"]} onClick={() => onSelect(`w${place}`)}>
                    {round.attempt}.{round.round}
                  </button>
                  <RoundBadge round={round} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Inspector>
  );
}
