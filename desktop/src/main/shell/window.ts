// Window of the desktop app. Closing it ends nothing else; opening the app again makes a new one.
import { join } from 'node:path';
import { BrowserWindow, screen } from 'electron';
import type { PushName } from '../../ipc/table.ts';
import { type PushMessage, pushChannel } from '../../ipc/wire.ts';
import type { PrivateJson } from '../private-json.ts';
import { appOrigin } from './app-protocol.ts';
import { toBounds, type WindowState } from './window-state.ts';

export type MainWindow = {
  /** Opens it where there is none, and focuses it. */
  show(): void;
  isFocused(): boolean;
  push(name: PushName, value: unknown): void;
  /** On the taskbar; null removes it. */
  showProgress(share: number | null): void;
};

export function openMainWindow(outFolder: string, state: PrivateJson<WindowState>): MainWindow {
  let current: BrowserWindow | undefined;

  function make(): BrowserWindow {
    const window = new BrowserWindow({
      ...toBounds(
        state.get(),
        screen.getAllDisplays().map(display => display.workArea),
      ),
      minWidth: 360,
      minHeight: 400,
      show: false,
      title: 'RecordProof',
      webPreferences: {
        preload: join(outFolder, 'preload', 'preload.cjs'),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
    if (state.get().isMaximized) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.on('close', () => {
      void state.set({ bounds: window.getNormalBounds(), isMaximized: window.isMaximized() });
    });
    window.on('closed', () => {
      current = undefined;
    });
    void window.loadURL(`${appOrigin}/index.html`);
    return window;
  }

  return {
    show() {
      if (!current) {
        current = make();
        return;
      }
      if (current.isMinimized()) current.restore();
      current.show();
      current.focus();
    },
    isFocused: () => current?.isFocused() === true,
    push: (name, value) => current?.webContents.send(pushChannel, { name, value } satisfies PushMessage),
    showProgress: share => current?.setProgressBar(share ?? -1),
  };
}
