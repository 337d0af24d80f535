// Names given by other people: what is shown of them, and the name under which such a file is saved.

/** Bidirectional embeddings, overrides and isolates: with them `gpj.exe` reads as `exe.jpg`. The marks of right-to-left text stay. */
const turning = /[\u202a-\u202e\u2066-\u2069]/gu;
const notInNames = /[/\\\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export const toShownName = (name: string): string => name.replace(turning, '\ufffd');

/** One file name on any system but Windows: no path, no control characters, and no `-` in front, which commands read as an option. */
export const toSavedName = (name: string): string =>
  name
    .replace(notInNames, '_')
    .replace(/^-/, '_')
    .replace(/^(?=\.{0,2}$)/, '_');
