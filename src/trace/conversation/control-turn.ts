import { SkeinError, type ControlRequest } from "../../core/internal.ts";
import { isNoLooser, type PermissionMode } from "../../engine/internal.ts";

interface Controlled {
  readonly conversation: { interrupt(): Promise<void>; setModel(model: string): Promise<void> };
  /** Whether the process of the turn can be told something while it runs. */
  readonly canBeTold: boolean;
  /** The loosest mode that whoever started the turn has allowed. */
  readonly loosest: PermissionMode;
  setMode(mode: PermissionMode): Promise<void>;
}

/** Does what somebody asks of a turn who looks on. They may tighten what the agent may do, and take that back, and no more. */
export async function controlTurn(request: ControlRequest, turn: Controlled): Promise<void> {
  if (request.type === "interrupt") return await turn.conversation.interrupt();
  if (request.type === "answer")
    throw new SkeinError("A run has no answers, its questions have", { kind: "usage", target: request.target });
  if (!turn.canBeTold)
    throw new SkeinError("Nothing can be changed in this run while it goes on", {
      kind: "usage",
      target: request.target,
    });
  if (request.type === "set-model") return await turn.conversation.setModel(request.model);
  if (!isNoLooser(request.mode, turn.loosest)) throw tooLoose(request.mode, turn.loosest);
  await turn.setMode(request.mode as PermissionMode);
}

function tooLoose(target: string, loosest: PermissionMode): SkeinError {
  return new SkeinError(`The run was started with ${loosest}: from elsewhere it cannot be given the mode ${target}`, {
    kind: "policy",
    target,
    hint: `Give ${loosest} or a stricter mode; a looser one is for whoever starts a run`,
  });
}
