// The bridge of the desktop app: everything goes over the table to the program, which has the server, the files and the
// transfers. Only proofs are verified here, where the dropped files are.
import type { Client } from '@recordproof/shared/api/client.ts';
import { parseStreamMessage } from '@recordproof/shared/api/events.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Snapshot } from '../../ipc/table.ts';
import type { Wire } from '../../ipc/wire.ts';
import type {
  Bridge,
  ChosenFile,
  DeepLink,
  DownloadsBridge,
  NoticesBridge,
  SavedServer,
  ShellBridge,
  UploadsBridge,
} from '../bridge.ts';
import { openPdf } from '../browser/pdf.ts';
import { openWatched } from '../watched.ts';
import { type Asker, openAsker } from './ask.ts';

type OpenVerify = (call: Client['call']) => Bridge['verify'];

export async function openDesktopBridge(wire: Wire, openVerify: OpenVerify): Promise<Bridge> {
  const asker = openAsker(wire);
  const events = openEvents(asker);
  const links = openLinks(asker);
  const first = await asker.ask('program.look');
  const states = openStates(asker, first);
  const call = toCall(asker);
  return {
    capabilities: { keepsTransfersRunning: true, wantsHandles: false, choosesWhereToSave: true },
    session: {
      state: states.session,
      serverUrl: () => states.serverUrl.get(),
      signIn: wish => asker.ask('session.signIn', wish),
      signOut: wish => asker.ask('session.signOut', wish),
      restore: () => asker.ask('session.restore'),
      reload: () => asker.ask('session.reload'),
      changePassword: wish => asker.ask('session.changePassword', wish),
    },
    call,
    events: { state: states.feed, listen: events.listen },
    uploads: toUploads(asker, wire, states.uploads),
    downloads: toDownloads(asker, states.downloads),
    verify: openVerify(call),
    openPdf,
    copyText: text => asker.ask('clipboard.write', { text }),
    notices: toNotices(asker, states.settings),
    shell: toShell(asker, states, {
      ...{ canKeepTokens: first.canKeepTokens, version: first.version },
      onLink: links.listen,
    }),
  };
}

type States = ReturnType<typeof openStates>;

function openStates({ hear }: Asker, first: Snapshot) {
  const states = {
    serverUrl: openWatched(first.serverUrl),
    session: openWatched(first.session),
    feed: openWatched(first.feed),
    uploads: openWatched(first.uploads),
    downloads: openWatched(first.downloads),
    servers: openWatched<readonly SavedServer[]>(first.servers),
    settings: openWatched(first.settings),
  };
  hear('serverUrl', states.serverUrl.set);
  hear('session', states.session.set);
  hear('feed', states.feed.set);
  hear('uploads', states.uploads.set);
  hear('downloads', states.downloads.set);
  hear('servers', states.servers.set);
  hear('settings', states.settings.set);
  return states;
}

/** The input of a call is plain data but for the signal, which stays here. */
const toCall = (asker: Asker): Client['call'] =>
  (async (endpoint: { readonly name: string }, input: { readonly signal?: AbortSignal } = {}) => {
    const { signal, ...rest } = input;
    return asker.askUntil('server.call', signal, { endpoint: endpoint.name, input: rest });
  }) as Client['call'];

function openEvents({ hear }: Asker) {
  const ears = new Set<(event: ServerEvent) => void>();
  hear('event', ({ data, id }) => {
    const event = parseStreamMessage(data, id);
    if (event === null || event.type === 'heartbeat' || event.type === 'disconnected') return;
    for (const ear of ears) ear(event);
  });
  return {
    listen(ear: (event: ServerEvent) => void) {
      const own = (event: ServerEvent) => ear(event);
      ears.add(own);
      return () => void ears.delete(own);
    },
  };
}

/** A link may come before anybody asks for it, as the one that the program was started with. */
function openLinks({ hear }: Asker) {
  const waiting: DeepLink[] = [];
  let open: ((link: DeepLink) => void) | undefined;
  hear('link', link => {
    if (open) open(link);
    else waiting.push(link);
  });
  return {
    listen(opening: (link: DeepLink) => void) {
      open = opening;
      for (const link of waiting.splice(0)) opening(link);
      return () => {
        if (open === opening) open = undefined;
      };
    },
  };
}

function toUploads(asker: Asker, wire: Wire, list: States['uploads']): UploadsBridge {
  const pathOf = ({ file }: ChosenFile): string => {
    const path = wire.pathOf(file);
    if (path !== undefined) return path;
    throw new TransferError('source-not-a-file', `${file.name} lies on no disk`);
  };
  return {
    list,
    add(files, wish = {}) {
      const chosen = files.map(file => ({ path: pathOf(file), folder: file.folder }));
      return asker.ask('uploads.add', { files: chosen, targetFileId: wish.targetFileId });
    },
    pause: id => asker.ask('uploads.pause', { id }),
    resume: id => asker.ask('uploads.resume', { id }),
    cancel: id => asker.ask('uploads.cancel', { id }),
    supply: (id, chosen) => asker.ask('uploads.supply', { id, paths: chosen.map(pathOf) }),
    clear: () => asker.ask('uploads.clear'),
  };
}

const toDownloads = (asker: Asker, list: States['downloads']): DownloadsBridge => ({
  list,
  start: wanted => asker.ask('downloads.start', { wanted }),
  pause: id => asker.ask('downloads.pause', { id }),
  resume: id => asker.ask('downloads.resume', { id }),
  cancel: id => asker.ask('downloads.cancel', { id }),
  clear: () => asker.ask('downloads.clear'),
  read: (fileHash, { maxBytes, signal }) => asker.askUntil('downloads.read', signal, { fileHash, maxBytes }),
  readPicture: (path, signal) => asker.askUntil('downloads.readPicture', signal, { path }),
});

const toNotices = (asker: Asker, settings: States['settings']): NoticesBridge => ({
  settings: { get: () => settings.get().notices, watch: settings.watch },
  isRefused: openWatched(false),
  change: change => asker.ask('settings.change', { notices: { ...settings.get().notices, ...change } }),
});

const toShell = (
  asker: Asker,
  { servers, settings }: States,
  more: Pick<ShellBridge, 'canKeepTokens' | 'version' | 'onLink'>,
): ShellBridge => ({
  servers,
  settings,
  ...more,
  addServer: url => asker.ask('servers.add', { url }),
  chooseServer: id => asker.ask('servers.choose', { id }),
  removeServer: id => asker.ask('servers.remove', { id }),
  changeSettings: change => asker.ask('settings.change', change),
  showDownload: id => asker.ask('downloads.show', { id }),
});
