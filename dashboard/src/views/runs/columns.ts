import type { AllStatesQuery } from "../../../../src/monitor/api-types.ts";

export type Order = NonNullable<AllStatesQuery["order"]>;

export interface Column {
  readonly name: string;
  readonly id: "state" | "prompt" | "workspace" | "model" | "tools" | "files" | "reward" | "cost" | "took" | "time";
  readonly isNumber?: boolean;
  /** The order that a click on its name brings, and the other one after it. */
  readonly orders?: readonly [Order, Order];
}

export const COLUMNS: readonly Column[] = [
  { id: "state", name: "State" },
  { id: "prompt", name: "Prompt" },
  { id: "workspace", name: "Workspace" },
  { id: "model", name: "Model" },
  { id: "tools", name: "Tools" },
  { id: "files", name: "Files", isNumber: true },
  { id: "reward", name: "Reward", isNumber: true, orders: ["reward", "newest"] },
  { id: "cost", name: "Cost", isNumber: true, orders: ["cost", "newest"] },
  { id: "took", name: "Took", isNumber: true, orders: ["duration", "newest"] },
  { id: "time", name: "Recorded", isNumber: true, orders: ["newest", "oldest"] },
];

export function readOrder(text: string | undefined): Order {
  return (["oldest", "cost", "duration", "reward"] as const).find((order) => order === text) ?? "newest";
}
