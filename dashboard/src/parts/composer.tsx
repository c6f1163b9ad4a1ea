import { useState, type ReactNode } from "react";
import { api } from "../data/api.ts";
import { ApiError } from "../data/ask.ts";
import { useDraft } from "../data/drafts.ts";
import { useHealth, useWorkspaces } from "../data/queries.ts";
import { addressOf, useGo, useParam, useSetParams } from "../data/url.ts";
import { keyText } from "../frame/key-text.ts";
import { useKeys } from "../frame/keys.ts";
import { Button } from "./button.tsx";
import { AttachmentList, useAttachments } from "./composer-attachments.tsx";
import { mistakeIn, parseDraft, toRun, toSearch, type ComposerDraft } from "./composer-draft.ts";
import { PlaceFields, SearchFields, TurnFields } from "./composer-fields.tsx";
import { PromptFields } from "./composer-prompts.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorLine } from "./note.tsx";
import styles from "./composer.module.css";

/** What the fields of the form need to know of it. */
export interface Composing {
  readonly draft: ComposerDraft;
  readonly change: (part: Partial<ComposerDraft>) => void;
  /** What is wrong with one of the server's fields. */
  readonly errorOf: (...fields: readonly string[]) => unknown;
  /** Whether the server takes what runs commands outside the sandbox. */
  readonly allowsCommands: boolean;
}

/** Starts a run or an exploration: what is written survives a reload, what is wrong stands beside its field. */
export function Composer({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, write] = useDraft("start");
  const [start, workspace, from] = [useParam("start"), useParam("workspace"), useParam("from")];
  const kept = parseDraft(text);
  // The address says which form it is: a link to one opens that one, whatever was written last.
  const kind = start === "search" ? "search" : start === "run" ? "turn" : kept.kind;
  const draft = useWithPlace({ ...kept, kind }, { workspace, from });
  const setParams = useSetParams();
  const change = (part: Partial<ComposerDraft>): void => {
    if (part.kind !== undefined) setParams({ start: part.kind === "search" ? "search" : "run" });
    // Another workspace than the address names was chosen.
    if (part.workspace !== undefined) setParams({ workspace: undefined, from: undefined });
    write(JSON.stringify({ ...draft, ...part }));
  };
  const health = useHealth().data;
  const attachments = useAttachments(draft.kind === "turn");
  const { error, isSending, send } = useStart(draft, {
    mayAsk: health?.allow_commands === true,
    attachments: attachments.ready,
    onStarted: () => write(""),
  });
  const field = error instanceof ApiError ? error.target : undefined;
  const known = FIELDS.some((each) => isField(field, each));
  const composing: Composing = {
    draft,
    change,
    errorOf: (...fields) => (fields.some((each) => isField(field, each)) ? error : undefined),
    allowsCommands: health?.allow_commands === true,
  };
  const isReadOnly = health?.read_only === true;
  const canStart = !isSending && !isReadOnly && attachments.isReady;
  useKeys([{ key: "mod+Enter", label: "Start what is written", run: send, isDisabled: !canStart }]);
  return (
    <Dialog
      title={draft.kind === "turn" ? "Start a run" : "Start an exploration"}
      isOpen
      onClose={onClose}
      width="wide"
      footer={
        <>
          {!known && <ErrorLine error={error} />}
          {isReadOnly && <p className="quiet">This server is read-only: it starts nothing.</p>}
          <span className={styles["space"]} />
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" disabled={!canStart} shortcut={keyText("mod+Enter")} onClick={send}>
            {isSending ? "Starting…" : draft.kind === "turn" ? "Start the run" : "Start the exploration"}
          </Button>
        </>
      }
    >
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <KindTabs composing={composing} />
        <PlaceFields {...composing} />
        <PromptFields composing={composing} onFiles={draft.kind === "turn" ? attachments.add : undefined} />
        {draft.kind === "turn" && <AttachmentList attachments={attachments} error={composing.errorOf("attachments")} />}
        {draft.kind === "search" && <SearchFields {...composing} />}
        <TurnFields {...composing} />
      </form>
    </Dialog>
  );
}

/** The workspace that the address names, that was chosen, or that was worked in last. */
function useWithPlace(
  kept: ComposerDraft,
  { workspace, from = "" }: { readonly workspace: string | undefined; readonly from: string | undefined },
): ComposerDraft {
  const [latest] = useWorkspaces().data?.workspaces ?? [];
  if (workspace !== undefined) return { ...kept, workspace, from };
  return kept.workspace === "" ? { ...kept, workspace: latest?.id ?? "" } : kept;
}

/** The fields that say themselves what is wrong with them. */
const FIELDS = [
  "workspace",
  "directory",
  "prompt",
  "model",
  "permission_mode",
  "max_cost_usd",
  "ask",
  "from",
  "attachments",
  "strategy",
  "n",
  "depth",
  "iterations",
  "rounds",
  "reward",
  "threshold",
];

/** An error names a field by its path: `prompt`, `prompt.0`. */
function isField(target: string | undefined, field: string): boolean {
  return target === field || target?.startsWith(`${field}.`) === true || target === `--${field.replaceAll("_", "-")}`;
}

function KindTabs({ composing: { draft, change } }: { readonly composing: Composing }): ReactNode {
  return (
    <fieldset className={styles["kinds"]}>
      <legend className="said">What to start</legend>
      {(["turn", "search"] as const).map((kind) => (
        <label key={kind}>
          <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} />
          <span>{kind === "turn" ? "One run" : "An exploration"}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface Start {
  readonly mayAsk: boolean;
  readonly attachments: Parameters<typeof toRun>[2];
  readonly onStarted: () => void;
}

function useStart(draft: ComposerDraft, { mayAsk, attachments, onStarted }: Start) {
  const go = useGo();
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const start = async (): Promise<void> => {
    const mistake = mistakeIn(draft);
    if (mistake) return setError(new ApiError({ message: mistake.message, kind: "usage", target: mistake.field }, 400));
    setSending(true);
    setError(undefined);
    try {
      const { run } = await (draft.kind === "turn"
        ? api.startRun(toRun(draft, mayAsk, attachments))
        : api.startSearch(toSearch(draft, mayAsk)));
      onStarted();
      go(addressOf.run(run.run));
    } catch (failure) {
      setError(failure);
      setSending(false);
    }
  };
  return { error, isSending, send: () => void start() };
}
