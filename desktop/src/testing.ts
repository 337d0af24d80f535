// Test support: the program with a system that records its calls, its transfer worker in this process, and a bridge whose wire
// clones all messages, as that of Electron does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNetwork } from '@recordproof/shared/node/network.ts';
import { noProxies } from '@recordproof/shared/node/proxies.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { Bridge } from './bridge/bridge.ts';
import { openDesktopBridge } from './bridge/desktop/bridge.ts';
import type { Notice } from './bridge/notices.ts';
import { openRequestServer } from './ipc/serve-request.ts';
import type { PushMessage, Wire } from './ipc/wire.ts';
import { openProgram, type Program } from './main/program.ts';
import type { TransferProcessPort } from './main/system.ts';
import type { SafeStorage } from './main/vault.ts';
import { openTransferWorker } from './transfers/transfer-worker.ts';

/** Encrypts like an unlocked keyring: the file on the disk is not the plain text. */
export const keyring: SafeStorage = {
  isEncryptionAvailable: () => true,
  encryptString: text => Buffer.from(Buffer.from(text, 'utf8').map(byte => byte ^ 0x5a)),
  decryptString: bytes => Buffer.from(bytes.map(byte => byte ^ 0x5a)).toString('utf8'),
};

export const noKeyring: SafeStorage = { ...keyring, getSelectedStorageBackend: () => 'basic_text' };

function startTransferProcess(hear: (message: unknown) => void): TransferProcessPort {
  const worker = openTransferWorker(message => hear(structuredClone(message)));
  return {
    send: message => worker.receive(structuredClone(message)),
    end: () => worker[Symbol.asyncDispose](),
  };
}

type Options = {
  readonly folder?: string;
  readonly safeStorage?: SafeStorage;
  readonly openInBrowser?: (url: string) => unknown;
};

export type TestProgram = AsyncDisposable & {
  readonly program: Program;
  readonly bridge: Bridge;
  readonly wire: Wire;
  readonly folder: string;
  readonly notices: Notice[];
  /** The languages of the tray, one after the other. */
  readonly spoken: Language[];
  /** The path of the next download; undefined when the user cancels. */
  saveTo: string | undefined;
  /** The file on the disk behind a chosen file. */
  fileAt(path: string): File;
};

export async function openTestProgram({
  folder,
  safeStorage = keyring,
  openInBrowser,
}: Options = {}): Promise<TestProgram> {
  const own = folder ?? (await mkdtemp(join(tmpdir(), 'recordproof-desktop-')));
  const network = openNetwork();
  const notices: Notice[] = [];
  const spoken: Language[] = [];
  const listeners = new Set<(message: PushMessage) => void>();
  const paths = new WeakMap<File, string>();
  const program = await openProgram({
    folder: own,
    network,
    proxies: noProxies,
    userAgent: 'recordproof-desktop/test',
    language: 'en',
    push: (name, value) => {
      for (const listener of listeners) listener(structuredClone({ name, value }));
    },
    system: {
      safeStorage,
      startTransferProcess,
      chooseSavePath: async () => made.saveTo,
      showFile: () => undefined,
      openInBrowser: url => openInBrowser?.(url),
      writeClipboard: () => undefined,
      startWithSystem: () => undefined,
      setLanguage: language => void spoken.push(language),
      notify: notice => void notices.push(notice),
      showOverall: () => undefined,
    },
  });
  const server = openRequestServer(program.handlers);
  const wire: Wire = {
    request: async message => structuredClone(await server.request(structuredClone(message))),
    cancel: async call => server.cancel(call),
    onPush(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    pathOf: file => paths.get(file),
  };
  const verify: Bridge['verify'] = () => Promise.reject(new Error('not here'));
  const made: TestProgram = {
    program,
    bridge: await openDesktopBridge(wire, () => verify),
    wire,
    folder: own,
    notices,
    spoken,
    saveTo: undefined,
    fileAt(path) {
      const file = new File([], path);
      paths.set(file, path);
      return file;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      network[Symbol.dispose]();
      if (folder === undefined) await rm(own, { recursive: true, force: true });
    },
  };
  return made;
}
