// JSON of unknown origin.

/** Undefined where the text is not JSON. */
export function jsonOrNone(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
