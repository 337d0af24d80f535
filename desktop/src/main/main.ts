// The desktop app: one instance, its window, its tray, and the program behind them.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openNetwork } from '@recordproof/shared/node/network.ts';
import { readProxies } from '@recordproof/shared/node/proxies.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { app, clipboard, dialog, ipcMain, Notification, protocol, safeStorage, session, shell } from 'electron';
import type { DeepLink } from '../bridge/bridge.ts';
import { findLink, parseLink, scheme } from './links.ts';
import { openPrivateJson } from './private-json.ts';
import { openProgram, type Program } from './program.ts';
import { answerAsset, appScheme } from './shell/app-protocol.ts';
import { denyPermissions, guardPages } from './shell/guards.ts';
import { serveChannels } from './shell/serve-channels.ts';
import { startTransferProcess } from './shell/transfer-process.ts';
import { openTray, type TrayPart } from './shell/tray.ts';
import { type MainWindow, openMainWindow } from './shell/window.ts';
import { firstWindowState, windowStateShape } from './shell/window-state.ts';
import type { System } from './system.ts';

const outFolder = join(dirname(fileURLToPath(import.meta.url)), '..');

type Shown = { readonly window: MainWindow; readonly tray: TrayPart };

const toSystem = ({ window, tray }: Shown): System => ({
  safeStorage,
  startTransferProcess: (hear, gone) => startTransferProcess(outFolder, hear, gone),
  async chooseSavePath(fileName) {
    const { canceled, filePath } = await dialog.showSaveDialog({
      defaultPath: join(app.getPath('downloads'), toSavedName(fileName).replaceAll(/[:*?"<>|]/g, '_')),
    });
    return canceled ? undefined : filePath;
  },
  showFile: path => shell.showItemInFolder(path),
  openInBrowser: url => shell.openExternal(url),
  writeClipboard: text => clipboard.writeText(text),
  setLanguage: tray.setLanguage,
  startWithSystem: does => app.setLoginItemSettings({ openAtLogin: does, args: ['--hidden'] }),
  notify(notice) {
    if (window.isFocused() || !Notification.isSupported()) return;
    const shown = new Notification(notice);
    shown.on('click', () => window.show());
    shown.show();
  },
  showOverall(share) {
    window.showProgress(share);
    tray.showProgress(share);
  },
});

/** Queues links until the window has its snapshot and listens. */
function openLinks(program: Program, window: MainWindow) {
  const waiting: DeepLink[] = [];
  let isListening = false;
  return {
    open(link: DeepLink): void {
      window.show();
      if (isListening) program.open(link);
      else waiting.push(link);
    },
    deliver(): void {
      isListening = true;
      for (const link of waiting.splice(0)) program.open(link);
    },
  };
}

async function start(): Promise<void> {
  await app.whenReady();
  const folder = app.getPath('userData');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  protocol.handle(appScheme, request => answerAsset(join(outFolder, 'renderer'), request));
  denyPermissions(session.defaultSession);
  const shape = windowStateShape;
  const state = await openPrivateJson({ path: join(folder, 'window.json'), shape, first: firstWindowState });
  const window = openMainWindow(outFolder, state);
  const tray = openTray({ open: () => window.show(), quit: () => app.quit() });
  const proxies = readProxies(process.env);
  const userAgent = `recordproof-desktop/${app.getVersion()}`;
  const program = await openProgram({
    ...{ folder, proxies, userAgent, language: toLanguage(app.getLocale()) },
    network: openNetwork({ proxies, userAgent }),
    system: toSystem({ window, tray }),
    push: (name, value) => window.push(name, value),
  });
  const links = openLinks(program, window);
  serveChannels(ipcMain, {
    ...program.handlers,
    program: {
      ...program.handlers.program,
      async snapshot() {
        const snapshot = await program.handlers.program.snapshot();
        links.deliver();
        return snapshot;
      },
    },
  });
  receive(window, links.open);
  endInOrder(program);
  if (!process.argv.includes('--hidden')) window.show();
  const first = findLink(process.argv);
  if (first) links.open(first);
}

/** A second start, a link of the system, or a click on the app's icon. */
function receive(window: MainWindow, open: (link: DeepLink) => void): void {
  app.on('second-instance', (_event, words) => {
    const link = findLink(words);
    if (link) open(link);
    else window.show();
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const link = parseLink(url);
    if (link) open(link);
  });
  app.on('activate', () => window.show());
}

function endInOrder(program: Program): void {
  let isEnded = false;
  app.on('window-all-closed', () => {
    if (!program.closesToTray()) app.quit();
  });
  app.on('before-quit', event => {
    if (isEnded) return;
    event.preventDefault();
    isEnded = true;
    void program[Symbol.asyncDispose]().finally(() => app.quit());
  });
}

if (!app.requestSingleInstanceLock()) app.quit();
else {
  app.setAsDefaultProtocolClient(scheme);
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
  guardPages(app);
  void start();
}
