// System port of the program: Electron in the app, a fake in tests.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { Notice } from '../bridge/notices.ts';
import type { ToWorker } from '../transfers/messages.ts';
import type { SafeStorage } from './vault.ts';

export type System = {
  readonly safeStorage: SafeStorage;
  startTransferProcess(hear: (message: unknown) => void, gone: () => void): TransferProcessPort;
  /** Undefined when the person cancels. */
  chooseSavePath(fileName: string): Promise<string | undefined>;
  showFile(path: string): void;
  /** In the browser of the system. */
  openInBrowser(url: string): unknown;
  writeClipboard(text: string): void;
  startWithSystem(does: boolean): void;
  /** Of the tray. */
  setLanguage(language: Language): void;
  /** Only while no window is focused. */
  notify(notice: Notice): void;
  /** From 0 to 1; null where no transfer runs. */
  showOverall(share: number | null): void;
};

export type TransferProcessPort = {
  send(message: ToWorker): void;
  /** Resolves when it has ended; the progress of its transfers is stored. */
  end(): Promise<void>;
};
