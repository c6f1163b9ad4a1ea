/** The theme's colours as a canvas takes them. */
export interface Ink {
  readonly text: string;
  readonly grid: string;
  readonly series: readonly string[];
  readonly font: string;
}

const known = new Map<string, Ink>();

/** Reads the colours that hold where an element is, once for each look of the page: `light-dark()` is only resolved in a property. */
export function inkOf(place: HTMLElement, look: string): Ink {
  const ink = known.get(look) ?? readInk(place);
  known.set(look, ink);
  return ink;
}

function readInk(place: HTMLElement): Ink {
  const probe = document.createElement("span");
  place.append(probe);
  const read = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const ink = {
    text: read("--text-2"),
    grid: read("--border"),
    series: [1, 2, 3, 4, 5, 6].map((number) => read(`--series-${number}`)),
    font: `12px ${getComputedStyle(place).fontFamily}`,
  };
  probe.remove();
  return ink;
}
