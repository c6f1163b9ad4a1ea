/** Of each schema that is not made yet, what makes it. */
const MAKERS = new WeakMap();

/**
 * What of a schema gives another one. Of one that is not made yet, they give one that is not made yet; anything else that it is asked makes it.
 */
const CHAINED = new Set(
  (
    "optional exactOptional nullable nullish default prefault catch describe meta readonly min max int positive nonnegative negative " +
    "gt gte lt lte length regex startsWith endsWith trim nonempty strict loose catchall extend partial omit pick transform refine " +
    "superRefine check pipe brand and or"
  ).split(" "),
);

/** A function of Zod's that makes schemas, for one that notes how: the schema is made when it is first looked at. */
export function late(make) {
  return (...args) => lateSchema(() => make(...args.map(made)));
}

/** A function of Zod's that reads schemas, given those that are made. */
export function early(read) {
  return (...args) => read(...args.map(made));
}

function lateSchema(make) {
  let schema;
  const get = () => (schema ??= make());
  const proxy = new Proxy(
    {},
    {
      get: (_, name) => (CHAINED.has(name) ? chained(get, name) : Reflect.get(get(), name)),
      set: (_, name, value) => Reflect.set(get(), name, value),
      has: (_, name) => Reflect.has(get(), name),
      getPrototypeOf: () => Reflect.getPrototypeOf(get()),
    },
  );
  MAKERS.set(proxy, get);
  return proxy;
}

function chained(get, name) {
  return (...args) => (name === "meta" && args.length === 0 ? get().meta() : lateSchema(() => get()[name](...args.map(made))));
}

/** What is given to Zod holds schemas that are made: it knows them by themselves, and what was said of them. */
function made(given) {
  const make = MAKERS.get(given);
  if (make !== undefined) return make();
  if (Array.isArray(given)) return given.map((each) => MAKERS.get(each)?.() ?? each);
  return isRecord(given) ? madeFields(given) : given;
}

function isRecord(given) {
  return typeof given === "object" && given !== null && Object.getPrototypeOf(given) === Object.prototype;
}

/** A field that is got is got no sooner than Zod does: it may be the schema itself. */
function madeFields(given) {
  const fields = Object.getOwnPropertyDescriptors(given);
  for (const field of Object.values(fields)) {
    const { get } = field;
    if (get) field.get = () => made(get.call(given));
    else field.value = MAKERS.get(field.value)?.() ?? field.value;
  }
  return Object.defineProperties({}, fields);
}
