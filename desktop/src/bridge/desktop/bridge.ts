// Bridge of the desktop app: requests go to the main process, which has the server, the files and the transfers. Only proofs
// are verified here, where the dropped files are.
import type { Client } from '@recordproof/shared/api/client.ts';
import { parseStreamMessage } from '@recordproof/shared/api/events.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { type Pushed, type Requests, type Snapshot, states as stateShapes } from '../../ipc/table.ts';
import type { Wire } from '../../ipc/wire.ts';
import type { Bridge, ChosenFile, DeepLink, NoticesBridge, UploadsBridge, Watched } from '../bridge.ts';
import { openThumbnailMaker } from '../browser/make-thumbnails.ts';
import { openPdf } from '../browser/workers.ts';
import { Thumbnails } from '../thumbnails.ts';
import { openWatched, watchPerson } from '../watched.ts';
import { openWhole } from '../whole-media.ts';
import { listen, toRequests } from './program.ts';

type OpenVerify = (call: Client['call']) => Bridge['verify'];

export async function openDesktopBridge(wire: Wire, openVerify: OpenVerify): Promise<Bridge> {
  const { program, session, uploads, downloads, shell } = toRequests(wire);
  const events = openEvents(wire);
  const onLink = openLinks(wire);
  const first = await program.snapshot();
  const states = openStates(wire, first);
  const call = toCall(program.callServer);
  const thumbnails = new Thumbnails({ call, openMaker: openThumbnailMaker });
  watchPerson(states.session, () => thumbnails.clear());
  return {
    capabilities: { keepsTransfersRunning: true, wantsHandles: false, choosesWhereToSave: true },
    session: { ...session, state: states.session, serverUrl: () => states.serverUrl.get() },
    call,
    events: { state: states.feed, listen: events.listen },
    uploads: toUploads(wire, uploads, states.uploads),
    downloads: { ...downloads, list: states.downloads },
    verify: openVerify(call),
    openPdf,
    thumbnails,
    /** The window has no connection to the server. */
    openMedia: (file, signal) => openWhole(downloads, file, signal),
    copyText: program.copyText,
    sharedFiles: null,
    notices: toNotices(shell, states.settings),
    shell: {
      ...shell,
      ...{ servers: states.servers, settings: states.settings, onLink },
      ...{ canKeepTokens: first.canKeepTokens, version: first.version },
    },
  };
}

type StateName = keyof typeof stateShapes;
type States = { readonly [N in StateName]: Watched<Pushed<N>> };

function openStates(wire: Wire, first: Snapshot): States {
  const open = <N extends StateName>(name: N) => {
    const state = openWatched(first[name] as Pushed<N>);
    listen(wire, name, state.set);
    return [name, state] as const;
  };
  return Object.fromEntries((Object.keys(stateShapes) as StateName[]).map(open)) as object as States;
}

/** The input is plain data but for the signal, which stays here. */
const toCall = (callServer: Requests['program']['callServer']): Client['call'] =>
  (async (endpoint: { readonly name: string }, input: { readonly signal?: AbortSignal } = {}) => {
    const { signal, ...rest } = input;
    return callServer({ endpoint: endpoint.name, input: rest }, signal);
  }) as Client['call'];

function openEvents(wire: Wire) {
  const listeners = new Set<(event: ServerEvent) => void>();
  listen(wire, 'event', ({ data, id }) => {
    const event = parseStreamMessage(data, id);
    if (event === null || event.type === 'heartbeat' || event.type === 'disconnected') return;
    for (const listener of listeners) listener(event);
  });
  return {
    listen(listener: (event: ServerEvent) => void) {
      const own = (event: ServerEvent) => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** Queues links until the window listens. */
function openLinks(wire: Wire) {
  const waiting: DeepLink[] = [];
  let open: ((link: DeepLink) => void) | undefined;
  listen(wire, 'link', link => {
    if (open) open(link);
    else waiting.push(link);
  });
  return (opening: (link: DeepLink) => void) => {
    open = opening;
    for (const link of waiting.splice(0)) opening(link);
    return () => {
      if (open === opening) open = undefined;
    };
  };
}

function toUploads(wire: Wire, requests: Requests['uploads'], list: States['uploads']): UploadsBridge {
  const pathOf = ({ file }: ChosenFile): string => {
    const path = wire.pathOf(file);
    if (path !== undefined) return path;
    throw new TransferError('source-not-a-file', `${file.name} is not a file on a disk`);
  };
  return {
    ...requests,
    list,
    add(files, { targetFileId } = {}) {
      const chosen = files.map(file => ({ path: pathOf(file), folder: file.folder }));
      return requests.add({ files: chosen, targetFileId });
    },
    supply: (id, chosen) => requests.supply({ id, paths: chosen.map(pathOf) }),
  };
}

const toNotices = (shell: Requests['shell'], settings: States['settings']): NoticesBridge => ({
  settings: { get: () => settings.get().notices, watch: settings.watch },
  isDenied: openWatched(false),
  change: change => shell.changeSettings({ notices: { ...settings.get().notices, ...change } }),
});
