// Desktop program without its windows: servers, sessions, events, transfers, settings. Electron is injected as a
// System port, so that the program also runs in plain Node.
import { join } from 'node:path';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import type { Proxies } from '@recordproof/shared/node/proxies.ts';
import { shellWords } from '@recordproof/shared/words/shell.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { z } from 'zod';
import type { DeepLink, ShellSettings } from '../bridge/bridge.ts';
import { type NoticeSettings, toNotice } from '../bridge/notices.ts';
import { openFeed } from '../engine/feed.ts';
import { noticeSettings } from '../ipc/shapes.ts';
import type { Push, Requests } from '../ipc/table.ts';
import { openDesktopTransfers } from './desktop-transfers.ts';
import { type Parts, toHandlers } from './handlers.ts';
import { openPrivateJson, type PrivateJson } from './private-json.ts';
import { openServers } from './servers.ts';
import { openSessions } from './sessions.ts';
import type { System } from './system.ts';
import { openVault } from './vault.ts';

type ProgramOptions = {
  /** Private to the program. */
  readonly folder: string;
  readonly network: Network;
  readonly proxies: Proxies;
  readonly userAgent: string;
  /** Of the system, until another is chosen. */
  readonly language: Language;
  readonly system: System;
  readonly push: Push;
};

export type Program = {
  [Symbol.asyncDispose](): Promise<void>;
  readonly handlers: Requests;
  /** Whether it keeps running without a window. */
  closesToTray(): boolean;
  /** A link that the system handed over. */
  open(link: DeepLink): void;
};

/** Throttle: at once, then at most ten times a second, and always the last call. */
function openThrottle(work: () => void): { readonly ask: () => void } & Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const next = () => {
    timer = undefined;
    if (isAsked) ask();
  };
  const ask = () => {
    isAsked = timer !== undefined;
    if (isAsked) return;
    timer = setTimeout(next, 100);
    work();
  };
  return { ask, [Symbol.dispose]: () => clearTimeout(timer) };
}

export async function openProgram(options: ProgramOptions): Promise<Program> {
  const { folder, network, proxies, userAgent, system, push } = options;
  const servers = await openServers(join(folder, 'servers.json'));
  const vault = await openVault(system.safeStorage, join(folder, 'logins.json'));
  const settings = await openShellSettings(join(folder, 'settings.json'), options.language);
  system.setLanguage(settings.get().language);
  const sessions = openSessions({
    ...{ network, servers, vault, userAgent, openInBrowser: system.openInBrowser },
    language: () => settings.get().language,
    onChange(account, state) {
      if (account === servers.current().id) {
        push('session', state);
        push('servers', servers.list());
        if (state.kind === 'signed-in') feed.start();
        else feed.stop();
      }
      transfers.queue.adjust();
    },
  });
  const onEvent = (event: ServerEvent): void => {
    push('event', { data: JSON.stringify(event), ...(event.id !== undefined && { id: event.id }) });
    const { notices, language } = settings.get();
    const notice = toNotice(event, shellWords[language], notices);
    if (notice) system.notify(notice);
  };
  const feed = openFeed(sessions.client, onEvent);
  feed.state.watch(() => {
    push('feed', feed.state.get());
    if (feed.state.get() === 'live') transfers.queue.retryAfterOutage(servers.current().id);
  });
  const throttle = openThrottle((): void => {
    push('uploads', transfers.uploads());
    push('downloads', transfers.downloads());
    system.showOverall(transfers.overall());
  });
  const transfers = await openDesktopTransfers({
    path: join(folder, 'transfers.json'),
    startTransferProcess(hear, gone) {
      const transferProcess = system.startTransferProcess(hear, gone);
      transferProcess.send({ kind: 'open', proxies, userAgent, notes: join(folder, 'transfers') });
      return transferProcess;
    },
    findToken: sessions.find,
    hasToken: sessions.hasToken,
    personOf: account => servers.find(account)?.username ?? null,
    addressOf: account => servers.find(account)?.url,
    onChange: throttle.ask,
  });
  const parts: Parts = {
    ...{ system, push, network, userAgent },
    ...{ servers, sessions, feed, transfers, settings, vault },
  };
  transfers.queue.adjust();
  void sessions.requests.restore().catch(() => undefined);
  return {
    handlers: toHandlers(parts),
    closesToTray: () => settings.get().closesToTray,
    open: link => push('link', link),
    async [Symbol.asyncDispose]() {
      feed.stop();
      await transfers[Symbol.asyncDispose]();
      throttle[Symbol.dispose]();
    },
  };
}

function openShellSettings(path: string, language: Language): Promise<PrivateJson<ShellSettings>> {
  const notices: NoticeSettings = { isOn: true, silent: [] };
  const first: ShellSettings = { startsWithSystem: false, notices, closesToTray: true, language };
  const shape = z.object({
    startsWithSystem: z.boolean(),
    notices: noticeSettings.default(notices),
    closesToTray: z.boolean().default(first.closesToTray),
    language: z.enum(['en', 'zh']).default(language),
  });
  return openPrivateJson({ path, shape, first });
}
