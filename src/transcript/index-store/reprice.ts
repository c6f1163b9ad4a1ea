import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { PriceTable } from "../../core/index.ts";
import { costOf } from "../usage/cost-of.ts";
import type { TranscriptTables } from "./schema.ts";

const PRICES = "prices";

/** Reckons all money anew where it was reckoned by other prices. */
export async function reprice(db: Kysely<TranscriptTables>, prices: PriceTable): Promise<void> {
  const value = createHash("sha256").update(JSON.stringify(prices)).digest("hex");
  const known = await db.selectFrom("notes").select("value").where("name", "=", PRICES).executeTakeFirst();
  if (known?.value === value) return;
  await db.transaction().execute(async (inside) => {
    const rows = await inside.selectFrom("usage").selectAll().where("recordedCostUsd", "is", null).execute();
    for (const row of rows) {
      const priced = { usage: row, isFast: row.isFast === 1, isUsOnly: row.isUsOnly === 1 };
      await inside
        .updateTable("usage")
        .set({ costUsd: costOf(row.model, priced, prices) ?? null })
        .where("fileRow", "=", row.fileRow)
        .where("messageId", "=", row.messageId)
        .where("part", "=", row.part)
        .execute();
    }
    await inside.updateTable("files").set({ isDirty: 1 }).execute();
    await inside.replaceInto("notes").values({ name: PRICES, value }).execute();
  });
}
