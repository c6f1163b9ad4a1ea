import { z } from "zod";

/** Text that becomes an argument of a process: there is some, and no NUL, which would cut it off. */
export const text = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, { error: "without NUL characters" });

/** A name in a list that the CLI takes with commas between: of a tool, a skill, a beta feature. */
export const name = z.string().regex(/^[^\s,()\0]+$/, { error: "one name, without spaces, commas or brackets" });

/** A function, to be called later. */
export function callback<Callback>(): z.ZodType<Callback> {
  return z.custom<Callback>((value) => typeof value === "function", { error: "a function" });
}

/**
 * The fields of a type of the SDK as schemas, for a strict object: a field that the SDK adds or drops does not
 * compile here.
 */
export type FieldsOf<Type> = {
  [Name in keyof Type as string extends Name ? never : number extends Name ? never : Name]-?: z.ZodType<
    Type[Name] | undefined
  >;
};
