// Drafts: texts that were typed and not sent, by account. They survive the end of a session and a reload, and end when
// the person signs out or closes the tab.
import { useState } from 'react';
import { useAccount } from '../context.ts';

const prefix = 'recordproof:draft:';

function write(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Storage is full or forbidden: the text ends with the screen.
  }
}

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** As useState; `name` identifies the text. Setting it to `first` ends the draft. */
export function useDraft<T extends string = string>(name: string, first: NoInfer<T>): readonly [T, (text: T) => void] {
  const key = `${prefix}${useAccount().externalId}:${name}`;
  const [text, setText] = useState<T>(() => (read(key) as T | null) ?? first);
  const change = (next: T) => {
    setText(next);
    write(key, next === first ? '' : next);
  };
  return [text, change];
}

export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // Storage is forbidden: there are no drafts.
  }
}
