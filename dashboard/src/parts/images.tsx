import { useState, type ReactNode } from "react";
import { bytesText } from "./format.ts";
import styles from "./images.module.css";
import { fieldsOf, textOf } from "./tool-words.ts";

/** What may be shown as a picture: an SVG is a document, and left out. */
const TYPES = /^image\/(?:png|jpeg|gif|webp)$/u;

/** Larger ones are shown once somebody asks for them. */
const MOST_AT_ONCE = 1_500_000;

/** Larger ones are not shown. */
const MOST = 20_000_000;

/** The pictures among content blocks, as they came: none is loaded from elsewhere. */
export function Images({ blocks }: { readonly blocks: unknown }): ReactNode {
  if (!Array.isArray(blocks)) return null;
  const images = blocks.map(fieldsOf).filter(({ type }) => type === "image");
  if (images.length === 0) return null;
  return (
    <div className={styles["images"]}>
      {images.map((image, place) => (
        <Picture key={place} source={fieldsOf(image["source"])} />
      ))}
    </div>
  );
}

function Picture({ source }: { readonly source: Readonly<Record<string, unknown>> }): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const type = textOf(source, "media_type");
  const data = textOf(source, "data");
  const size = bytesText(Math.round(data.length * 0.75));
  if (source["type"] !== "base64" || !TYPES.test(type) || !/^[\w+/=\s]+$/u.test(data.slice(0, 200))) {
    return <p className="quiet small">A picture that is not shown: {type === "" ? "it lies elsewhere" : type}</p>;
  }
  if (data.length > MOST) return <p className="quiet small">A picture of {size}: too large to be shown</p>;
  if (data.length > MOST_AT_ONCE && !isWanted) {
    return (
      <button type="button" className={styles["large"]} onClick={() => setWanted(true)}>
        Show the picture, {size}
      </button>
    );
  }
  return <img className={styles["image"]} src={`data:${type};base64,${data}`} alt="" loading="lazy" />;
}
