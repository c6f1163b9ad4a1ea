import { useEffect } from "react";
import type { QuestionData } from "../../../src/monitor/api-types.ts";
import { settingOf } from "../data/drafts.ts";
import { stream } from "../data/live.ts";
import { addressOf, useGo } from "../data/url.ts";
import { baseName } from "../parts/format.ts";
import { plainLine } from "../parts/plain.ts";
import { endText } from "./ended-run.ts";
import { useRunEnds } from "./use-run-ends.ts";

/** The name under which it is kept whether a person wants to be notified. */
export const NOTIFY = "notify";

/** Tells a person by the browser what waits for them and what ended, while they look at something else. */
export function useNotifications(): void {
  const go = useGo();
  useEffect(
    () =>
      stream.onMessage((message) => {
        if (message.type !== "question" || message.question.asked_on === "terminal") return;
        const { question_id: id, workspace } = message.question;
        notify({ id, title: `${baseName(workspace)} waits for you`, body: askText(message.question) }, () =>
          go(addressOf.now()),
        );
      }),
    [go],
  );
  useRunEnds((run) =>
    notify({ id: run.run, title: endText(run), body: plainLine(run.prompt ?? "", 200) }, () =>
      go(addressOf.run(run.run)),
    ),
  );
}

function askText({ kind, tool, action }: QuestionData): string {
  if (kind === "question") return "The agent asks you something";
  if (kind === "plan") return "The agent has a plan";
  return plainLine(`${tool} wants to ${action ?? "be used"}`, 200);
}

function notify(
  { id, title, body }: { readonly id: string; readonly title: string; readonly body: string },
  show: () => void,
): void {
  if (!("Notification" in window) || Notification.permission !== "granted" || !settingOf<boolean>(NOTIFY, false))
    return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  try {
    const notification = new Notification(title, { body, tag: id, icon: "/assets/icon.svg" });
    notification.addEventListener("click", () => {
      window.focus();
      show();
      notification.close();
    });
  } catch {
    // A phone's browser has the name, and no notifications of pages.
  }
}
