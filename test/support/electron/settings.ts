// What a test and the stand-in say to each other.

export type StandInSettings = {
  /** Where Chromium is spoken to. */
  readonly browser: string;
  /** Where the program's folders are. */
  readonly folder: string;
  /** Where all files lie that a page is given. */
  readonly files: string;
  readonly hasKeyring: boolean;
};

export const settingsVariable = 'RECORDPROOF_TEST_STAND_IN';

export const standInSettings = (): StandInSettings => JSON.parse(process.env[settingsVariable] ?? '{}');

export type Order =
  | { readonly kind: 'save-to'; readonly path: string }
  | { readonly kind: 'second-start'; readonly words: readonly string[] }
  | { readonly kind: 'quit' };

export const parseOrder = (given: unknown): Order => given as Order;

/** What the program asked of the system. */
export type Noted =
  /** An order was carried out. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'protocol'; readonly scheme: string }
  | { readonly kind: 'login-item'; readonly openAtLogin: boolean }
  | { readonly kind: 'clipboard'; readonly text: string }
  | { readonly kind: 'shown'; readonly path: string }
  | { readonly kind: 'tray'; readonly text: string }
  | { readonly kind: 'menu'; readonly labels: readonly string[] }
  | { readonly kind: 'notice'; readonly title: string; readonly body: string }
  | { readonly kind: 'process'; readonly pid: number }
  | { readonly kind: 'window'; readonly preferences: Readonly<Record<string, unknown>> }
  | { readonly kind: 'navigation'; readonly url: string; readonly isPrevented: boolean }
  | { readonly kind: 'popup'; readonly action: string }
  | { readonly kind: 'permission'; readonly does: boolean };
