// Messages and settings between a test and the stand-in for Electron.

export type StandInSettings = {
  /** The address of Chromium's debugging port. */
  readonly browser: string;
  /** The folders of the program. */
  readonly folder: string;
  /** The folder of all files that a page is given. */
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

/** Calls of the program to the operating system. */
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
