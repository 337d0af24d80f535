// Preferences of this device: language, theme, motion. The account does not store them.
import { type Language, toLanguage } from '@recordproof/shared/words/words.ts';
import { openWatched } from '../bridge/watched.ts';

const themes = ['system', 'light', 'dark'] as const;
const motions = ['system', 'off'] as const;

type Preferences = {
  readonly language: Language;
  readonly theme: (typeof themes)[number];
  readonly motion: (typeof motions)[number];
};

const key = 'recordproof:preferences';

const oneOf = <T extends string>(allowed: readonly T[], value: unknown, other: T): T =>
  allowed.find(one => one === value) ?? other;

function read(): Preferences {
  let kept: Partial<Record<keyof Preferences, unknown>> = {};
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? '{}');
  } catch {
    // Unreadable: the defaults.
  }
  return {
    language: oneOf(['en', 'zh'], kept.language, toLanguage(navigator.language)),
    theme: oneOf(themes, kept.theme, 'system'),
    motion: oneOf(motions, kept.motion, 'system'),
  };
}

export const preferences = openWatched(read());

function show({ language, theme, motion }: Preferences): void {
  const { documentElement: root } = document;
  root.lang = language;
  root.dataset.theme = theme;
  root.dataset.motion = motion;
}

export function showPreferences(): void {
  show(preferences.get());
  preferences.watch(() => show(preferences.get()));
}

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  try {
    localStorage.setItem(key, JSON.stringify(preferences.get()));
  } catch {
    // Not stored: in effect until the window closes.
  }
}
