/** A model as `/v1/models` lists it. */
export interface Model {
  readonly type: "model";
  readonly id: string;
  readonly display_name: string;
  readonly created_at: string;
}

/** The models that the offline server lists. It answers for every id that begins with `claude-`. */
export const MODELS: readonly Model[] = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"].map(model);

/** The model of that id; undefined where the API would say that there is none. */
export function findModel(id: string): Model | undefined {
  if (!id.startsWith("claude-")) return undefined;
  return model(id);
}

function model(id: string): Model {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}
