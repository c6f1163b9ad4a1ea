import type { SkeinEvent, TextDeltaEvent, TextEvent } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { createLiveScreen } from "./live-screen.ts";
import { plainLine } from "../plain-text.ts";
import { toolLine } from "./tool-line.ts";
import { toolTitle } from "./tool-title.ts";
import { turnHeading } from "./turn-heading.ts";
import type { TurnView } from "./turn-view.ts";

/** Shows turns on a terminal: text as it is written, a spinner while waiting, a line for each tool. */
export function createLiveView(context: CommandContext): TurnView {
  const { terminal } = context;
  const screen = createLiveScreen(context);
  const running = new Map<string, { readonly label: string; readonly title: string }>();
  let cwd: string | undefined;

  const wait = (label = "Thinking"): void => screen.wait([...running.values()].at(-1)?.label ?? label);

  const showText = async (event: TextDeltaEvent | TextEvent): Promise<void> => {
    if (event.parentToolUseId !== undefined) return;
    // A whole block follows its pieces; where there were none, it is shown itself.
    if (event.type === "text" && (await screen.endText())) return;
    await screen.addText(event.text);
    if (event.type === "text") await screen.endText();
  };

  const show = async (event: SkeinEvent): Promise<void> => {
    switch (event.type) {
      case "turn-start":
        await screen.heading(cwd === undefined ? turnHeading(event, terminal) : "");
        cwd = event.cwd;
        return wait();
      case "text-delta":
      case "text":
        return await showText(event);
      case "tool-start": {
        const title = toolTitle(event.input, cwd ?? "");
        running.set(event.toolUseId, { title, label: `${plainLine(event.tool)} ${title}` });
        await screen.endText();
        return wait();
      }
      case "tool-end": {
        const title = running.get(event.toolUseId)?.title ?? "";
        running.delete(event.toolUseId);
        await screen.toolLine(toolLine(event, title, terminal));
        return wait();
      }
      case "status":
        return wait(statusLabel(event.status, event.detail));
      case "thinking":
      case "thinking-delta":
      case "tool-input-delta":
        return wait();
      case "turn-end":
        screen.still();
        return void (await screen.endText());
      case "signature-delta":
      case "usage":
      case "error":
      case "state-recorded":
      case "unknown":
      case "custom":
        return;
    }
  };
  return { begin: () => wait("Starting Claude Code"), show, pause: screen.yield, end: screen.still };
}

/** Most states of the engine are details of thinking; a retry is worth telling. */
function statusLabel(status: string, detail: string | undefined): string {
  return status === "api_retry" ? plainLine(`Retrying ${detail ?? ""}`) : "Thinking";
}
