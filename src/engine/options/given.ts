/** Leaves out what was not given: to the SDK, `undefined` is not always the same as nothing. */
export function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
